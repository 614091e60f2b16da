package dev.kenaz.spark;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Knows which executors an application has lost, and what is done again for that. Those that Spark
 * ends because there is nothing to do aren't lost.
 */
public final class LostExecutors extends SparkListener {
  private static final Map<SparkContext, LostExecutors> ALL = new WeakHashMap<>();

  /** What Spark says of executors that the application itself didn't want any more. */
  private static final String UNWANTED = "killed by driver";

  private final Map<String, Integer> running = new HashMap<>();
  private final Set<ShardPlaces> places = Collections.newSetFromMap(new WeakHashMap<>());
  private final Queue<String> news = new ConcurrentLinkedQueue<>();

  private LostExecutors() {}

  /** Returns what is known of an application; it is watched from the first time on. */
  public static LostExecutors of(SparkContext spark) {
    synchronized (ALL) {
      return ALL.computeIfAbsent(
          spark,
          _ -> {
            var made = new LostExecutors();
            spark.addSparkListener(made);
            return made;
          });
    }
  }

  /** Returns a line about each executor that was lost since this was called before. */
  public List<String> news() {
    var all = new ArrayList<String>();
    for (var line = news.poll(); line != null; line = news.poll()) {
      all.add(line);
    }
    return all;
  }

  /** Looks from now on also there for what an executor had in memory. */
  synchronized void watch(ShardPlaces more) {
    places.add(more);
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart start) {
    running.merge(start.taskInfo().executorId(), 1, Integer::sum);
  }

  /** Spark tells of the end of a lost executor's tasks before or after it tells of the executor. */
  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    boolean lost = end.reason() instanceof ExecutorLostFailure;
    var info = end.taskInfo();
    if (!lost && info != null) {
      running.computeIfPresent(info.executorId(), (_, n) -> n - 1);
    }
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
    var executor = removed.executorId();
    int tasks = running.getOrDefault(executor, 0);
    running.remove(executor);
    if (removed.reason().contains(UNWANTED)) {
      return;
    }
    int pieces = places.stream().mapToInt(p -> p.of(executor)).sum();
    news.add(
        "executor %s was lost (%s): %s, and %s"
            .formatted(
                executor,
                firstLine(removed.reason()),
                counted(
                    tasks, "task that ran there is repeated", "tasks that ran there are repeated"),
                counted(
                    pieces,
                    "piece of the data is read again",
                    "pieces of the data are read again")));
  }

  private static String counted(int count, String one, String several) {
    return count + " " + (count == 1 ? one : several);
  }

  private static String firstLine(String reason) {
    return reason.lines().findFirst().orElse("").strip();
  }
}
