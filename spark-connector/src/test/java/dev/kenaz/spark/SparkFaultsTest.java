package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K8202;
import static dev.kenaz.error.ErrorCode.K8203;
import static dev.kenaz.error.ErrorCode.K8204;
import static dev.kenaz.error.ErrorCode.K8205;
import static dev.kenaz.error.ErrorCode.K8206;
import static dev.kenaz.error.ErrorCode.K8208;
import static dev.kenaz.error.ErrorCode.K8209;
import static dev.kenaz.error.ErrorCode.K8210;
import static dev.kenaz.error.ErrorCode.K8211;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import org.junit.jupiter.api.Test;

/** A fault is told by its cause, not by what the cause led to. */
final class SparkFaultsTest {
  private static final String MASTER = "spark://here:7077";

  private static ErrorCode code(RuntimeException e) {
    return ((UserError) e).diagnostics().getFirst().code();
  }

  private static RuntimeException explain(
      Throwable failure, boolean stopped, boolean local, String master) {
    return SparkFaults.explain(failure, new SparkFaults.State(stopped, local, true, master));
  }

  @Test
  void causesComeBeforeConsequences() {
    var memory = new RuntimeException("Job aborted", new OutOfMemoryError("Java heap space"));
    var interrupted = new RuntimeException("Job cancelled", new InterruptedException());
    var stopped = new IllegalStateException("SparkContext was shut down");
    assertEquals(K8202, code(explain(memory, true, true, "local[2]")));
    assertEquals(K8202, code(explain(memory, true, false, MASTER)));
    assertEquals(K8205, code(explain(interrupted, true, false, MASTER)));
    assertEquals(K8204, code(explain(stopped, true, false, MASTER)));
    var here = explain(stopped, true, true, "local[2]");
    assertEquals(K8206, code(here));
    assertFalse(here.getMessage().contains("master"), here.getMessage());
    assertSame(stopped, explain(stopped, false, false, MASTER));
  }

  @Test
  void aCancelledJobIsNoFaultOfKenaz() {
    var cancelled =
        new RuntimeException(
            "[SPARK_JOB_CANCELLED] Job 3 cancelled part of cancelled job group g SQLSTATE: XXKDA");
    var e = explain(cancelled, false, true, "local[2]");
    assertEquals(K8205, code(e));
    assertTrue(e.getMessage().contains("Job 3 cancelled part of cancelled job group g"), "" + e);
  }

  @Test
  void olderJavaOfExecutorsIsNamed() {
    var inside =
        new RuntimeException(
            "Job aborted: java.lang.UnsupportedClassVersionError: dev/kenaz/spark/ShardTask has been"
                + " compiled by a more recent version of the Java Runtime (class file version 69.0),"
                + " this version of the Java Runtime only recognizes class file versions up to 61.0");
    var e = explain(inside, true, false, MASTER);
    assertEquals(K8208, code(e));
    assertTrue(e.getMessage().contains("executors run Java 17"), e.getMessage());
  }

  private static String told(ErrorCode code, String why) {
    var inside =
        new RuntimeException(
            "Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent"
                + " failure: Lost task 0.3 in stage 0.0 (TID 3) (10.0.0.7 executor 1): "
                + why
                + "\n\tat some.place(Here.java:1)");
    var e = explain(inside, false, false, MASTER);
    assertEquals(code, code(e), why);
    assertTrue(e.getMessage().contains("executor 1 on 10.0.0.7"), e.getMessage());
    return e.getMessage();
  }

  @Test
  void whatIsWrongWithAMachineIsToldWithItsName() {
    told(K8209, "java.io.IOException: No space left on device");
    told(K8209, "java.nio.file.FileSystemException: /tmp/x: Read-only file system");
    told(K8210, "java.lang.ClassNotFoundException: dev.kenaz.spark.ShardTask");
    told(K8210, "java.lang.NoSuchMethodError: 'void org.apache.spark.X.y()'");
    told(K8211, "java.net.ConnectException: Connection refused");
    var ours =
        new RuntimeException("(TID 3) (10.0.0.7 executor 1): java.lang.NullPointerException");
    assertSame(ours, explain(ours, false, false, MASTER));
  }

  @Test
  void anApplicationWithoutExecutorsHasNotLostItsMaster() {
    var stopped = new IllegalStateException("SparkContext was shut down");
    var none = new SparkFaults.State(true, false, false, MASTER);
    assertEquals(K8203, code(SparkFaults.explain(stopped, none)));
  }

  @Test
  void executorsThatFailWhenTheyStartSayWhy() {
    var disk =
        new RuntimeException(
            "Job 0 cancelled Unable to create executor due to No space left on device");
    assertEquals(K8209, code(explain(disk, false, false, MASTER)));
    var other =
        new RuntimeException("Job 0 cancelled Unable to create executor due to /x.sh is missing");
    assertEquals(K8203, code(explain(other, false, false, MASTER)));
    assertTrue(explain(other, false, false, MASTER).getMessage().endsWith("/x.sh is missing"));
  }

  @Test
  void anInterruptedThreadIsNoLostMaster() {
    Thread.currentThread().interrupt();
    try {
      var e = explain(new IllegalStateException("shut down"), true, false, MASTER);
      assertEquals(K8205, code(e));
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void aStartWithoutMemoryIsNoMissingMaster() {
    var small = new IllegalArgumentException("System memory 128 must be at least 471859200.");
    assertEquals(K5900, code(SparkFaults.explainStart(small, true, "local[*]")));
    var none = new RuntimeException("connection refused");
    assertEquals(K8204, code(SparkFaults.explainStart(none, false, MASTER)));
  }
}
