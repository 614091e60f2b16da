package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K8201;
import static dev.kenaz.error.ErrorCode.K8202;
import static dev.kenaz.error.ErrorCode.K8203;
import static dev.kenaz.error.ErrorCode.K8204;
import static dev.kenaz.error.ErrorCode.K8205;
import static dev.kenaz.error.ErrorCode.K8206;
import static dev.kenaz.error.ErrorCode.K8208;
import static dev.kenaz.error.ErrorCode.K8209;
import static dev.kenaz.error.ErrorCode.K8210;
import static dev.kenaz.error.ErrorCode.K8211;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.spark.SparkContext;

/** Turns what Spark throws into errors that tell a user what to do. */
public final class SparkFaults {
  /** What Java says of a class file that is too new for it. */
  private static final Pattern OLDER_JAVA =
      Pattern.compile("UnsupportedClassVersionError.*recognizes class file versions up to (\\d+)");

  /** What Spark says of the last try of a task that failed: where, and the first line of why. */
  private static final Pattern LAST_TRY =
      Pattern.compile("Lost task [^(]*\\(TID \\d+\\) \\((\\S+) executor (\\S+)\\): (.*)");

  private static final Pattern FAILED_START =
      Pattern.compile(ExecutorsAwaited.UNABLE + "(.*?)(?: SQLSTATE: \\w+)?(?:\\n|$)");

  /** What systems say if a file can't be written. */
  private static final Pattern NO_ROOM =
      Pattern.compile(
          "(?i)no space left on device|disk quota exceeded|file too large|read-only file system"
              + "|failed to create (local|a temp) dir\\w*");

  /** What Java says if a class isn't there, or is of another version. */
  private static final Pattern OTHER_CLASSES =
      Pattern.compile(
          "(?:ClassNotFoundException|NoClassDefFoundError|NoSuchMethodError|InvalidClassException)"
              + ": [^\n]*");

  /** What Spark says of a job that somebody has cancelled, by its number, its group or its tag. */
  private static final Pattern CANCELLED =
      Pattern.compile("\\[SPARK_JOB_CANCELLED\\] (.*?)(?: SQLSTATE: \\w+)?(?:\\n|$)");

  private static final Pattern OF_MACHINE =
      Pattern.compile("java\\.(?:io|net|nio)\\.[\\w.]+(?:Exception|Error)\\b");

  /** The version of class files of Java N is N and this. */
  private static final int FIRST_CLASS_VERSION = 44;

  private SparkFaults() {}

  /**
   * Returns the error to throw instead; a fault of Kenaz itself is returned as it is. The cause is
   * reported rather than its consequences: a context without memory stops too, and so does one
   * whose process was told to end.
   */
  public static RuntimeException explain(Throwable failure, SparkContext spark) {
    boolean hadExecutors = LostExecutors.hadExecutors(spark);
    return explain(
        failure, new State(spark.isStopped(), spark.isLocal(), hadExecutors, spark.master()));
  }

  /**
   * The state of the application at the fault.
   *
   * @param stopped whether the context has stopped by itself
   * @param local whether all of Spark is in this process
   * @param hadExecutors whether an executor has ever come
   */
  record State(boolean stopped, boolean local, boolean hadExecutors, String master) {}

  static RuntimeException explain(Throwable failure, State state) {
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
    var cancelled = CANCELLED.matcher(all);
    if (cancelled.find() && !state.stopped) {
      return cancelled(cancelled.group(1));
    }
    if (state.stopped) {
      return state.local ? stoppedHere(failure) : lost(state);
    }
    if (all.contains("ExecutorLostFailure")) {
      return new UserError(
          K8203,
          Span.NONE,
          "executors were lost, as often as Spark tries again: " + firstLine(failure),
          "look at the executors' logs; their memory or their machine is the usual cause");
    }
    var ofMachine = ofMachine(all);
    if (ofMachine.isPresent()) {
      return ofMachine.get();
    }
    return failure instanceof RuntimeException r ? r : new IllegalStateException(failure);
  }

  /** Returns the error if a machine or its set-up made a task fail as often as Spark tries it. */
  private static Optional<UserError> ofMachine(String all) {
    var start = FAILED_START.matcher(all);
    if (start.find()) {
      var why = start.group(1);
      return Optional.of(
          NO_ROOM.matcher(why).find()
              ? noRoom("executors", why)
              : new UserError(
                  K8203,
                  Span.NONE,
                  "executors fail when they start: " + why,
                  "their logs say more: in the work folders of the workers (standalone), by",
                  "yarn logs (YARN) or kubectl logs (Kubernetes)"));
    }
    var task = LAST_TRY.matcher(all);
    if (!task.find()) {
      return Optional.empty();
    }
    var where = "executor %s on %s".formatted(task.group(2), task.group(1));
    var why = task.group(3);
    if (NO_ROOM.matcher(all).find()) {
      return Optional.of(noRoom(where, why));
    }
    var classes = OTHER_CLASSES.matcher(all);
    if (classes.find()) {
      return Optional.of(
          new UserError(
              K8210,
              Span.NONE,
              "%s lacks classes, or has others: %s".formatted(where, classes.group()),
              "executors need the job jar of the driver: give it to spark-submit, or by --jars;",
              "the cluster must have the version of Spark that the driver has"));
    }
    if (OF_MACHINE.matcher(why).lookingAt()) {
      return Optional.of(
          new UserError(
              K8211,
              Span.NONE,
              "a task failed as often as Spark tries it, at last on " + where + ": " + why,
              "look at the log of this executor; its disk or its network is the usual cause"));
    }
    return Optional.empty();
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
    return startHint(all, local)
        .map(hint -> new UserError(K8204, Span.NONE, message, hint))
        .orElseGet(() -> new UserError(K8204, Span.NONE, message));
  }

  private static Optional<String> startHint(String all, boolean local) {
    if (all.contains("parse Master URL") || all.contains("Invalid master URL")) {
      return Optional.of(
          "a master is local[*], spark://HOST:PORT, yarn or k8s://https://HOST:PORT");
    }
    if (all.contains("INVALID_EXECUTOR_MEMORY")) {
      return Optional.of("give executors more: --executor-memory 1g");
    }
    if (all.contains("BindException")) {
      return Optional.of(
          "SPARK_LOCAL_IP, spark.driver.host and spark.driver.bindAddress must be addresses of this"
              + " machine, and spark.driver.port a free port");
    }
    return local
        ? Optional.empty()
        : Optional.of("is the master running, and can this machine reach it?");
  }

  private static UserError noRoom(String who, String why) {
    return new UserError(
        K8209,
        Span.NONE,
        who + " can't write: " + why,
        "make room on their disks, or name larger ones: SPARK_LOCAL_DIRS of the workers",
        "(standalone), yarn.nodemanager.local-dirs (YARN), spark.local.dir (elsewhere)");
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

  private static UserError lost(State state) {
    return state.hadExecutors
        ? new UserError(
            K8204,
            Span.NONE,
            "lost the connection to Spark's master " + state.master,
            "is the master running, can this machine reach it, and did nobody end the application?")
        : new UserError(
            K8203,
            Span.NONE,
            "Spark's master " + state.master + " ended the application before an executor came",
            "executors fail when they start; their logs are in the work folders of the workers.",
            "Usual causes: no Java where JAVA_HOME of the worker or spark.executorEnv.JAVA_HOME",
            "says, an option of Java that it lacks, a folder that can't be written",
            "(SPARK_LOCAL_DIRS), or no way from the worker back to the driver");
  }

  private static UserError stoppedHere(Throwable failure) {
    return new UserError(
        K8206, Span.NONE, "Spark has stopped within this process: " + firstLine(failure));
  }

  private static UserError interrupted() {
    return UserError.interrupted("a job with checkpoints goes on from the last one with --resume");
  }

  private static UserError cancelled(String which) {
    return new UserError(
        K8205,
        Span.NONE,
        "a job of Spark was cancelled: " + which,
        "nothing of it is left; the session can be used as before");
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
