package dev.kenaz.spark;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;

/** Gives jobs a title, which Spark's pages, logs and listeners show. */
public final class JobTitle {
  /** The properties of a thread from which Spark takes names of jobs and of stages. */
  private static final List<String> PROPERTIES =
      List.of("spark.job.description", "callSite.short", "callSite.long");

  private static final AtomicLong JOBS = new AtomicLong();

  private JobTitle() {}

  /**
   * Runs jobs of this thread under a title; the application has its own ones before and after. If
   * the thread is interrupted, it waits for the jobs no longer, so these are cancelled.
   */
  public static <T> T during(SparkContext spark, String title, Supplier<T> jobs) {
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
      throw e;
    } finally {
      set(spark, before);
      spark.removeJobTag(tag);
    }
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
