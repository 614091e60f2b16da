package dev.kenaz.spark;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;

/** Turns what Spark throws into what a user can act on. */
final class SparkFaults {
  private SparkFaults() {}

  /** For a context that has stopped by itself. */
  static UserError stopped(String master) {
    return new UserError(
        "K8204",
        Span.NONE,
        "lost the connection to Spark's master " + master + ", or never had one",
        "is the master running, can this machine reach it, and did nobody end the application?");
  }

  /** An error to throw instead; faults that are nobody's but ours come back as they are. */
  static RuntimeException explain(Exception failure) {
    var text = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      text.append(t).append('\n');
    }
    var all = text.toString();
    if (all.contains("OutOfMemoryError") || all.contains("code 52")) {
      return outOfMemory("it ended");
    }
    if (all.contains("ExecutorLostFailure")) {
      return new UserError(
          "K8203",
          Span.NONE,
          "executors were lost, as often as Spark tries again: " + firstLine(failure),
          "look at the executors' logs; their memory or their machine is the usual cause");
    }
    return failure instanceof RuntimeException r ? r : new IllegalStateException(failure);
  }

  static UserError outOfMemory(String detail) {
    return new UserError(
        "K8202",
        Span.NONE,
        "an executor ran out of memory: " + detail,
        "use more partitions (spark.partitions), so that each is smaller,",
        "or give executors more memory (--executor-memory; KENAZ_JAVA_OPTS=-Xmx... when local)");
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
