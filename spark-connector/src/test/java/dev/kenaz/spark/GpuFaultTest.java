package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K5006;
import static dev.kenaz.error.ErrorCode.K5101;
import static dev.kenaz.error.ErrorCode.K7601;
import static dev.kenaz.error.ErrorCode.K7602;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.apache.spark.SparkException;
import org.apache.spark.executor.Executor;
import org.junit.jupiter.api.Test;

/** Which failures Spark sees as such, and which end the executor. */
final class GpuFaultTest {
  private static UserError error(ErrorCode code) {
    return new UserError(code, Span.NONE, "a fault", "do something");
  }

  @Test
  void faultsOfTheProgramAreResults() {
    for (var code : new ErrorCode[] {K5001, K5006}) {
      assertDoesNotThrow(() -> GpuFault.check(error(code), "", true));
      assertDoesNotThrow(() -> GpuFault.check(error(code), "", false));
    }
    assertDoesNotThrow(() -> GpuFault.check(new CompilerBug("cuda", "a bug"), "", true));
  }

  @Test
  void sparkRepeatsWhatAGpuHasSpoilt() {
    var passing =
        assertThrows(GpuFault.Passing.class, () -> GpuFault.check(error(K5101), "", true));
    assertEquals(false, Executor.isFatalError(passing, 5));
    assertThrows(GpuFault.Passing.class, () -> GpuFault.check(error(K7601), "", false));
    assertThrows(GpuFault.Passing.class, () -> GpuFault.check(error(K5101), "an ECC error", false));
  }

  @Test
  void executorsEndWithTheirGpu() {
    for (var failure :
        new RuntimeException[] {
          error(K5101), error(K7602), new CompilerBug("cuda", "an invalid address")
        }) {
      var fault =
          assertThrows(GpuFault.Lasting.class, () -> GpuFault.check(failure, "an ECC error", true));
      assertEquals(true, Executor.isFatalError(fault, 5), "Spark goes on with the executor");
    }
  }

  /** The fault comes from another process, with all that a user is told. */
  @Test
  void theFaultIsToldInTheEnd() throws Exception {
    var fault =
        assertThrows(GpuFault.Lasting.class, () -> GpuFault.check(error(K5101), "lost", true));
    var state = new SparkFaults.State(false, false, true, "m");
    var told = SparkFaults.explain(new SparkException("aborted", sent(fault)), state);
    var diagnostic = assertInstanceOf(UserError.class, told).diagnostics().getFirst();
    assertEquals(error(K5101).diagnostics().getFirst(), diagnostic);
    var bug =
        assertThrows(
            GpuFault.Lasting.class,
            () -> GpuFault.check(new CompilerBug("cuda", "an invalid address"), "lost", true));
    told = SparkFaults.explain(new SparkException("aborted", sent(bug)), state);
    assertInstanceOf(CompilerBug.class, told);
  }

  private static Throwable sent(Throwable fault) throws Exception {
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(fault);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (Throwable) in.readObject();
    }
  }
}
