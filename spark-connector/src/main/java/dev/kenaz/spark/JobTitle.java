package dev.kenaz.spark;

import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;

/** Gives jobs a title, which Spark's pages, logs and listeners show. */
public final class JobTitle {
  /** The properties of a thread from which Spark takes names of jobs and of stages. */
  private static final List<String> PROPERTIES =
      List.of("spark.job.description", "callSite.short", "callSite.long");

  private JobTitle() {}

  /** Runs jobs of this thread under a title; the application has its own ones before and after. */
  public static <T> T during(SparkContext spark, String title, Supplier<T> jobs) {
    var before = PROPERTIES.stream().map(spark::getLocalProperty).toArray(String[]::new);
    try {
      set(spark, title, title, title);
      return jobs.get();
    } finally {
      set(spark, before);
    }
  }

  private static void set(SparkContext spark, String... values) {
    for (int i = 0; i < values.length; i++) {
      spark.setLocalProperty(PROPERTIES.get(i), values[i]);
    }
  }
}
