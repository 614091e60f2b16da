package dev.kenaz.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;

/**
 * A job whose tasks stay for later runs of the same programs over the same shards. Where the driver
 * is the only executor, tasks can be given the next run as it is, and what Spark does for a job,
 * which takes as long as a short run, is done once for many. A task that waits for {@link
 * #PATIENCE} in vain ends, and when all have ended, so does the job.
 *
 * <p>Each run is done by one job: if one of the tasks has ended, the next run needs another job.
 */
final class Stay {
  /** For so many nanoseconds, a task that waits keeps its slot from other jobs. */
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(20);

  /** How often a task that waits looks whether it was killed. */
  private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(5);

  /** The job that stays at present; when another begins, its tasks leave their slots. */
  private static final AtomicReference<Stay> LAST = new AtomicReference<>();

  private final List<String> programs;
  private final List<ShardRdd.Part> parts;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Thread job;

  /** How many runs have been asked for, and what the last of them is. */
  private int runs = 1;

  private List<ShardTask> tasks;
  private final List<List<Outcome>> outcomes = new ArrayList<>();
  private int missing;

  /** Whether the driver has taken the outcomes, which aren't kept any longer. */
  private boolean over;

  /** Whether tasks don't wait any more, because one has ended or the driver needs their slots. */
  private boolean closed;

  private boolean ended;
  private Throwable failure;

  private Stay(List<String> programs, List<ShardRdd.Part> parts) {
    this.programs = List.copyOf(programs);
    this.parts = List.copyOf(parts);
    expectOutcomes();
  }

  private void expectOutcomes() {
    outcomes.clear();
    outcomes.addAll(Collections.nCopies(parts.size(), null));
    missing = parts.size();
    over = false;
  }

  // The driver

  /**
   * Starts a job for a run of each program.
   *
   * @param programs their keys
   * @param tasks one for each of them
   * @param parts all of which must have a slot at once
   */
  static Stay start(
      SparkContext spark,
      String title,
      List<String> programs,
      List<ShardTask> tasks,
      List<ShardRdd.Part> parts) {
    var stay = new Stay(programs, parts);
    Optional.ofNullable(LAST.getAndSet(stay)).ifPresent(Stay::close);
    var key = Handover.put(stay);
    var rdd = new ShardRdd(spark, tasks, parts, key);
    Runnable run =
        () -> {
          Throwable failure = null;
          try {
            JobTitle.during(spark, title + " and later ones", () -> OutcomeJob.runAll(spark, rdd));
          } catch (Throwable e) { // Who waits for a run is told.
            failure = e;
          }
          Handover.remove(key);
          stay.end(failure);
        };
    // The thread inherits what the application has set for the jobs of this one.
    stay.job = Thread.ofPlatform().daemon().name("kenaz-job").unstarted(run);
    stay.job.start();
    return stay;
  }

  /** Lets the tasks of any job that stays leave their slots. */
  static void closeLast() {
    Optional.ofNullable(LAST.getAndSet(null)).ifPresent(Stay::close);
  }

  /** Gives the tasks another run of their programs and shards, unless one of them has ended. */
  boolean takes(List<String> wanted, List<ShardTask> next, List<ShardRdd.Part> needed) {
    lock.lock();
    try {
      if (closed || ended || !wanted.equals(programs) || !sameParts(needed)) {
        close();
        return false;
      }
      tasks = List.copyOf(next);
      runs++;
      expectOutcomes();
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private boolean sameParts(List<ShardRdd.Part> needed) {
    return needed.size() == parts.size()
        && IntStream.range(0, parts.size()).allMatch(i -> same(needed.get(i), parts.get(i)));
  }

  private static boolean same(ShardRdd.Part a, ShardRdd.Part b) {
    return Arrays.equals(a.group().shards(), b.group().shards())
        && Arrays.equals(a.runs(), b.runs());
  }

  /**
   * Waits for the outcomes of each part, after which the run is over. If this thread is
   * interrupted, the job is cancelled.
   */
  List<List<Outcome>> outcomes() {
    lock.lock();
    try {
      while (missing > 0 && !ended) {
        changed.await();
      }
      if (missing > 0) {
        throw failure == null ? new IllegalStateException("tasks left a run") : again(failure);
      }
      var all = List.copyOf(outcomes);
      outcomes.clear();
      over = true;
      return all;
    } catch (InterruptedException e) {
      close();
      job.interrupt();
      throw again(e);
    } finally {
      lock.unlock();
    }
  }

  /** Spark throws checked exceptions that it doesn't declare, and its callers expect them. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException again(Throwable e) throws E {
    throw (E) e;
  }

  private void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(Throwable why) {
    lock.lock();
    try {
      ended = true;
      failure = why;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  // Tasks

  /** A run by its number, and its tasks. */
  private record Asked(int run, List<ShardTask> tasks) {}

  /**
   * Does the first run of a part, and later ones as long as there are any.
   *
   * @param first the tasks as Spark has sent them, whose counters it adds up
   */
  void serve(List<ShardTask> first, ShardRdd.Part part, TaskContext context) {
    var asked = begun(first, part.index(), context);
    while (asked != null) {
      var all = asked.tasks;
      var mine =
          IntStream.of(part.runs()).mapToObj(i -> all.get(i).counting(first.get(i).counters()));
      arrived(part.index(), ShardTask.run(mine.toList(), part.group(), context));
      asked = awaited(asked.run, context);
    }
  }

  /** What a task does when it begins; if Spark repeats it, runs that are over aren't repeated. */
  private Asked begun(List<ShardTask> first, int part, TaskContext context) {
    lock.lock();
    try {
      tasks = tasks == null ? first : tasks;
      boolean done = over || outcomes.get(part) != null;
      return done ? awaited(runs, context) : new Asked(runs, tasks);
    } finally {
      lock.unlock();
    }
  }

  private void arrived(int part, List<Outcome> found) {
    lock.lock();
    try {
      outcomes.set(part, found);
      missing--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next run; null if there is none for this task. */
  private Asked awaited(int done, TaskContext context) {
    long end = System.nanoTime() + PATIENCE;
    lock.lock();
    try {
      while (runs == done) {
        context.killTaskIfInterrupted();
        long left = end - System.nanoTime();
        if (closed || left <= 0) {
          close();
          return null;
        }
        changed.awaitNanos(Math.min(left, LOOK));
      }
      return new Asked(runs, tasks);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      return null;
    } finally {
      lock.unlock();
    }
  }
}
