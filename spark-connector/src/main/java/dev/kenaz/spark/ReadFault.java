package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K6101;
import static dev.kenaz.error.ErrorCode.K6102;
import static dev.kenaz.error.ErrorCode.K6103;
import static dev.kenaz.error.ErrorCode.K7503;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;

/**
 * Faults of files that a task reads. The driver has opened the files before, so the machine of the
 * task is at fault, or its connection, and another machine may be able to read them. So Spark
 * repeats the task as long as it would repeat others; then the fault is told, with the executor
 * that had it.
 */
final class ReadFault {
  private static final Set<ErrorCode> OF_FILES = Set.of(K6101, K6102, K6103, K7503);

  /** What Java says if a mapped file has become shorter than it was. */
  private static final String SHORTENED = "a fault occurred in an unsafe memory access operation";

  private ReadFault() {}

  /** A fault after which Spark tries the task again. */
  static final class Passing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Passing(RuntimeException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /**
   * Reads files, or computes with what is mapped of them.
   *
   * @throws UserError if files are at fault and Spark doesn't repeat the task any more
   * @throws Passing if files are at fault and Spark does
   */
  static <T> T told(Supplier<T> reading) {
    try {
      return reading.get();
    } catch (UserError e) {
      throw OF_FILES.contains(e.diagnostics().getFirst().code()) ? fault(e) : e;
    } catch (InternalError e) {
      if (!String.valueOf(e.getMessage()).contains(SHORTENED)) {
        throw e;
      }
      ShardCache.OF_PROCESS.clear(); // It may have parts of the file.
      throw fault(new UserError(K6103, "a file became shorter while it was read"));
    }
  }

  private static RuntimeException fault(UserError e) {
    var env = SparkEnv.get();
    boolean embedded = env.executorId().equals("driver");
    int tries = embedded ? 1 : env.conf().getInt("spark.task.maxFailures", 4);
    if (TaskContext.get().attemptNumber() + 1 < tries) {
      return new Passing(e);
    }
    return embedded ? e : placed(e, env);
  }

  /** Says which executor has the fault. */
  private static UserError placed(UserError e, SparkEnv env) {
    var d = e.diagnostics().getFirst();
    var host = env.blockManager().blockManagerId().host();
    var message = "executor %s on %s: %s".formatted(env.executorId(), host, d.message());
    var hints = new ArrayList<>(d.hints());
    hints.add("the driver could read it: all machines must see the same files under this path");
    return new UserError(List.of(new Diagnostic(d.code(), d.span(), message, hints)));
  }
}
