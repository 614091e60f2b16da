package dev.kenaz.spark;

import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
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
  private final Set<String> removed = new HashSet<>();
  private final List<Line> lines = new CopyOnWriteArrayList<>();
  private volatile boolean hadExecutors;

  LostExecutors() {}

  /** A line about an executor. Several trainings of one application note it; one tells the user. */
  public static final class Line {
    private final String text;
    private final AtomicBoolean told = new AtomicBoolean();

    private Line(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }

    /** Returns true to the one who asks first. */
    public boolean isNew() {
      return told.compareAndSet(false, true);
    }
  }

  /** Reads the lines about executors, each once. */
  public final class News {
    private int at;

    private News() {
      while (at < lines.size() && lines.get(at).told.get()) {
        at++;
      }
    }

    /** Returns the lines that have come since this was called before. */
    public List<Line> next() {
      var now = List.copyOf(lines);
      var all = now.subList(at, now.size());
      at += all.size();
      return all;
    }
  }

  /** Returns what is known of an application; it is watched from the first time on. */
  public static LostExecutors of(SparkContext spark) {
    synchronized (ALL) {
      return ALL.computeIfAbsent(
          spark,
          _ -> {
            var made = new LostExecutors();
            made.hadExecutors = !new Cluster(new JavaSparkContext(spark)).executors().isEmpty();
            spark.addSparkListener(made);
            return made;
          });
    }
  }

  /** Returns a reader of all lines that the user hasn't been told yet. */
  public News news() {
    return new News();
  }

  /** Returns whether an application has had an executor, as far as that is known. */
  static boolean hadExecutors(SparkContext spark) {
    synchronized (ALL) {
      var watching = ALL.get(spark);
      return watching == null || watching.hadExecutors;
    }
  }

  /** Looks from now on also there for what an executor had in memory. */
  synchronized void watch(ShardPlaces more) {
    places.add(more);
  }

  @Override
  public void onExecutorAdded(SparkListenerExecutorAdded added) {
    hadExecutors = true;
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
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved event) {
    var executor = event.executorId();
    int tasks = running.getOrDefault(executor, 0);
    running.remove(executor);
    // Spark tells of some executors twice, and of the cause at first.
    if (event.reason().contains(UNWANTED) || !removed.add(executor)) {
      return;
    }
    int pieces = places.stream().mapToInt(p -> p.of(executor)).sum();
    var text =
        "executor %s was lost (%s): %s, and %s"
            .formatted(
                executor,
                firstLine(event.reason()),
                counted(
                    tasks, "task that ran there is repeated", "tasks that ran there are repeated"),
                counted(
                    pieces,
                    "piece of the data is read again",
                    "pieces of the data are read again"));
    lines.add(new Line(text));
  }

  private static String counted(int count, String one, String several) {
    return count + " " + (count == 1 ? one : several);
  }

  private static String firstLine(String reason) {
    return reason.lines().findFirst().orElse("").strip();
  }
}
