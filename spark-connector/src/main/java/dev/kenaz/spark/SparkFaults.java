package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K8201;
import static dev.kenaz.error.ErrorCode.K8202;
import static dev.kenaz.error.ErrorCode.K8203;
import static dev.kenaz.error.ErrorCode.K8204;
import static dev.kenaz.error.ErrorCode.K8205;
import static dev.kenaz.error.ErrorCode.K8206;
import static dev.kenaz.error.ErrorCode.K8208;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.regex.Pattern;

/** Turns what Spark throws into errors that tell a user what to do. */
public final class SparkFaults {
  /** What Java says of a class file that is too new for it. */
  private static final Pattern OLDER_JAVA =
      Pattern.compile("UnsupportedClassVersionError.*recognizes class file versions up to (\\d+)");

  /** The version of class files of Java N is N and this. */
  private static final int FIRST_CLASS_VERSION = 44;

  private SparkFaults() {}

  /**
   * Returns the error to throw instead; a fault of Kenaz itself is returned as it is. The cause is
   * reported rather than its consequences: a context without memory stops too, and so does one
   * whose process was told to end.
   *
   * @param stopped whether the context has stopped by itself
   * @param local whether all of Spark is in this process
   */
  public static RuntimeException explain(
      Throwable failure, boolean stopped, boolean local, String master) {
    var ofGpu = GpuFault.told(failure);
    if (ofGpu.isPresent()) {
      return ofGpu.get();
    }
    var all = chain(failure);
    if (all.contains("OutOfMemoryError") || all.contains("code 52")) {
      return outOfMemory("it ended");
    }
    var older = OLDER_JAVA.matcher(all);
    if (older.find()) {
      return olderJava(Integer.parseInt(older.group(1)) - FIRST_CLASS_VERSION);
    }
    if (all.contains("spark.driver.maxResultSize")) {
      return new UserError(
          K8201,
          Span.NONE,
          "stages give more to the driver than Spark is set to allow: " + firstLine(failure),
          "set spark.driver.maxResultSize to 0 in Spark's configuration");
    }
    if (all.contains("InterruptedException") || isEnding()) {
      return interrupted();
    }
    if (stopped) {
      return local ? stoppedHere(failure) : lost(master);
    }
    if (all.contains("ExecutorLostFailure")) {
      return new UserError(
          K8203,
          Span.NONE,
          "executors were lost, as often as Spark tries again: " + firstLine(failure),
          "look at the executors' logs; their memory or their machine is the usual cause");
    }
    return failure instanceof RuntimeException r ? r : new IllegalStateException(failure);
  }

  /** Returns the error for a context that could not be made. */
  static RuntimeException explainStart(Throwable failure, boolean local, String master) {
    var all = chain(failure);
    if (all.contains("OutOfMemoryError") || all.contains("System memory")) {
      return new UserError(
          K5900,
          Span.NONE,
          "Java has too little memory for Spark: " + firstLine(failure),
          "give it more: KENAZ_JAVA_OPTS=-Xmx2g, or --driver-memory 2g of spark-submit");
    }
    if (all.contains("InterruptedException") || isEnding()) {
      return interrupted();
    }
    var message = "can't start Spark with master " + master + ": " + firstLine(failure);
    return local
        ? new UserError(K8204, Span.NONE, message)
        : new UserError(
            K8204, Span.NONE, message, "is the master running, and can this machine reach it?");
  }

  private static UserError olderJava(int version) {
    return new UserError(
        K8208,
        Span.NONE,
        "executors run Java %d, but this Kenaz needs Java %d"
            .formatted(version, Runtime.version().feature()),
        "install a newer Java on all machines of the cluster, and name it:",
        "JAVA_HOME of the workers (standalone), spark.executorEnv.JAVA_HOME=... (YARN),",
        "or an image with it (Kubernetes)");
  }

  private static UserError lost(String master) {
    return new UserError(
        K8204,
        Span.NONE,
        "lost the connection to Spark's master " + master + ", or never had one",
        "is the master running, can this machine reach it, and did nobody end the application?");
  }

  private static UserError stoppedHere(Throwable failure) {
    return new UserError(
        K8206, Span.NONE, "Spark has stopped within this process: " + firstLine(failure));
  }

  private static UserError interrupted() {
    return new UserError(
        K8205,
        Span.NONE,
        "interrupted before the end",
        "a job with checkpoints goes on from the last one with --resume");
  }

  /** Whether this process was told to end. */
  private static boolean isEnding() {
    try {
      Runtime.getRuntime().removeShutdownHook(new Thread());
      return Thread.currentThread().isInterrupted();
    } catch (IllegalStateException _) {
      return true;
    }
  }

  private static String chain(Throwable failure) {
    var text = new StringBuilder();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      text.append(t).append('\n');
    }
    return text.toString();
  }

  static UserError outOfMemory(String detail) {
    return new UserError(
        K8202,
        Span.NONE,
        "an executor ran out of memory: " + detail,
        "use more partitions (spark.partitions), so that each is smaller,",
        "or give executors more memory (--executor-memory; KENAZ_JAVA_OPTS=-Xmx... when local)");
  }

  private static String firstLine(Throwable e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
