package dev.kenaz.spark;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkStatusTracker;
import scala.Option;

/** Gives jobs a title, which Spark's pages, logs and listeners show. */
public final class JobTitle {
  /** The properties of a thread from which Spark takes names of jobs and of stages. */
  private static final List<String> PROPERTIES =
      List.of("spark.job.description", "callSite.short", "callSite.long");

  private static final AtomicLong JOBS = new AtomicLong();

  /**
   * Spark tells 100 ms late which tasks run ({@code spark.ui.liveUpdate.period}), so that much has
   * to pass after the last one.
   */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(250);

  /** A task that can't be killed is not waited for. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  private static final long POLL = TimeUnit.MILLISECONDS.toNanos(10);

  private JobTitle() {}

  /**
   * Runs jobs of this thread under a title; the application has its own ones before and after. If
   * the thread is interrupted, it waits for the jobs no longer, so these are cancelled.
   */
  public static <T> T during(SparkContext spark, String title, Supplier<T> jobs) {
    return during(spark, title, jobs, false);
  }

  /**
   * Runs jobs that write files, likewise. Tasks of a job that fails or is cancelled run on for a
   * while, and would write into a folder that the caller removes, so it waits for their end first.
   */
  public static void writing(SparkContext spark, String title, Runnable jobs) {
    during(
        spark,
        title,
        () -> {
          jobs.run();
          return null;
        },
        true);
  }

  private static <T> T during(SparkContext spark, String title, Supplier<T> jobs, boolean write) {
    var before = PROPERTIES.stream().map(spark::getLocalProperty).toArray(String[]::new);
    var tag = "kenaz-" + JOBS.incrementAndGet();
    try {
      spark.addJobTag(tag);
      set(spark, title, title, title);
      return jobs.get();
    } catch (Throwable e) {
      if (isInterruption(e) && !spark.isStopped()) {
        spark.cancelJobsWithTag(tag);
      }
      if (write) {
        awaitTasks(spark, tag);
      }
      throw e;
    } finally {
      set(spark, before);
      spark.removeJobTag(tag);
    }
  }

  /** Waits until no task of some jobs has run for a while, but not for ever. */
  private static void awaitTasks(SparkContext spark, String tag) {
    boolean interrupted = Thread.interrupted();
    long start = System.nanoTime();
    long seen = start;
    for (long now = start; now - seen < QUIET && now - start < PATIENCE; now = System.nanoTime()) {
      if (!spark.isStopped() && hasTasks(spark.statusTracker(), tag)) {
        seen = now;
      }
      LockSupport.parkNanos(POLL);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean hasTasks(SparkStatusTracker tracker, String tag) {
    return Arrays.stream(tracker.getJobIdsForTag(tag))
        .mapToObj(tracker::getJobInfo)
        .filter(Option::isDefined)
        .flatMapToInt(job -> Arrays.stream(job.get().stageIds()))
        .mapToObj(tracker::getStageInfo)
        .anyMatch(stage -> stage.isDefined() && stage.get().numActiveTasks() > 0);
  }

  private static boolean isInterruption(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(InterruptedException.class::isInstance);
  }

  private static void set(SparkContext spark, String... values) {
    for (int i = 0; i < values.length; i++) {
      spark.setLocalProperty(PROPERTIES.get(i), values[i]);
    }
  }
}
