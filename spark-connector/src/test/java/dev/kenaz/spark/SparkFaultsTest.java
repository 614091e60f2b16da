package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K8202;
import static dev.kenaz.error.ErrorCode.K8204;
import static dev.kenaz.error.ErrorCode.K8205;
import static dev.kenaz.error.ErrorCode.K8206;
import static dev.kenaz.error.ErrorCode.K8208;
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

  @Test
  void causesComeBeforeConsequences() {
    var memory = new RuntimeException("Job aborted", new OutOfMemoryError("Java heap space"));
    var interrupted = new RuntimeException("Job cancelled", new InterruptedException());
    var stopped = new IllegalStateException("SparkContext was shut down");
    assertEquals(K8202, code(SparkFaults.explain(memory, true, true, "local[2]")));
    assertEquals(K8202, code(SparkFaults.explain(memory, true, false, MASTER)));
    assertEquals(K8205, code(SparkFaults.explain(interrupted, true, false, MASTER)));
    assertEquals(K8204, code(SparkFaults.explain(stopped, true, false, MASTER)));
    var here = SparkFaults.explain(stopped, true, true, "local[2]");
    assertEquals(K8206, code(here));
    assertFalse(here.getMessage().contains("master"), here.getMessage());
    assertSame(stopped, SparkFaults.explain(stopped, false, false, MASTER));
  }

  @Test
  void olderJavaOfExecutorsIsNamed() {
    var inside =
        new RuntimeException(
            "Job aborted: java.lang.UnsupportedClassVersionError: dev/kenaz/spark/ShardTask has been"
                + " compiled by a more recent version of the Java Runtime (class file version 69.0),"
                + " this version of the Java Runtime only recognizes class file versions up to 61.0");
    var e = SparkFaults.explain(inside, true, false, MASTER);
    assertEquals(K8208, code(e));
    assertTrue(e.getMessage().contains("executors run Java 17"), e.getMessage());
  }

  @Test
  void anInterruptedThreadIsNoLostMaster() {
    Thread.currentThread().interrupt();
    try {
      var e = SparkFaults.explain(new IllegalStateException("shut down"), true, false, MASTER);
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
