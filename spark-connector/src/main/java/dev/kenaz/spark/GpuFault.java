package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5101;
import static dev.kenaz.error.ErrorCode.K7601;
import static dev.kenaz.error.ErrorCode.K7602;
import static dev.kenaz.error.ErrorCode.K7603;

import dev.kenaz.cuda.runtime.NvidiaDevice;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.SparkEnv;

/**
 * Ends a task because of its GPU. Spark repeats the task, perhaps on another machine. Nothing is
 * computed on the CPU in place of a GPU that fails.
 */
final class GpuFault {
  private static final Set<ErrorCode> OF_DEVICE = Set.of(K5101, K7601, K7602, K7603);

  /** What helps where some executors have no GPU. */
  static final List<String> MIXED =
      List.of(
          "of a mixed cluster, let Spark take only the executors with GPUs:",
          "--conf spark.executor.resource.gpu.amount=1 (docs/operations.md#gpus);",
          "or let the others compute on their processors: --conf %s=true"
              .formatted(KenazKey.GPU_FALLBACK.key()));

  private GpuFault() {}

  /** A fault after which the process may try again. */
  static final class Passing extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final List<Outcome.Fault> faults;

    Passing(List<Outcome.Fault> faults, Throwable cause) {
      super(faults.getFirst().message(), cause);
      this.faults = faults;
    }
  }

  /**
   * A fault after which the process can't use its GPU any more. Spark reports an error of this kind
   * like an exception, and then ends the executor; its place is taken by another one.
   */
  static final class Lasting extends InternalError {
    private static final long serialVersionUID = 1L;
    private final List<Outcome.Fault> faults;

    Lasting(List<Outcome.Fault> faults, Throwable cause) {
      super(faults.getFirst().message(), cause);
      this.faults = faults;
    }
  }

  /** Throws what ends the task, if the GPU is at fault. */
  static void check(RuntimeException failure) {
    // An embedded Spark is in the process of the user.
    boolean mayEnd = !SparkEnv.get().executorId().equals("driver");
    check(failure, NvidiaDevice.lost(), mayEnd);
  }

  /**
   * @param lost why the process can't use a GPU any more, or ""
   * @param mayEnd whether the process may end, because it is an executor and nothing else
   */
  static void check(RuntimeException failure, String lost, boolean mayEnd) {
    var error =
        failure instanceof UserError e
            ? e
            : new UserError(K5101, Span.NONE, lost, "see what nvidia-smi says");
    var code = error.diagnostics().getFirst().code();
    boolean ofGpu = failure instanceof UserError ? OF_DEVICE.contains(code) : !lost.isEmpty();
    if (!ofGpu) {
      return;
    }
    var faults = Outcome.Fault.of(error);
    if (mayEnd && (!lost.isEmpty() || code != K5101)) {
      throw new Lasting(faults, failure);
    }
    throw new Passing(faults, failure);
  }

  /** Returns what a job that failed in the end says to the user, if GPUs are at fault. */
  static Optional<RuntimeException> told(Throwable failure) {
    for (var t = failure; t != null; t = t.getCause()) {
      switch (t) {
        case Passing p -> {
          return Optional.of(told(p.faults, p));
        }
        case Lasting l -> {
          return Optional.of(told(l.faults, l));
        }
        default -> {}
      }
    }
    return Optional.empty();
  }

  private static RuntimeException told(List<Outcome.Fault> faults, Throwable fault) {
    if (fault.getCause() instanceof CompilerBug bug) {
      return bug;
    }
    var error = Outcome.Fault.error(faults);
    var first = error.diagnostics().getFirst();
    if (first.code() != K7601) {
      return error;
    }
    var hints = new ArrayList<>(first.hints());
    hints.addAll(MIXED);
    return new UserError(
        List.of(new Diagnostic(first.code(), first.span(), first.message(), hints)));
  }
}
