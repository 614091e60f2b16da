package dev.kenaz.spark;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import java.io.Serializable;
import java.util.List;

/**
 * The result of a task. A fault of the user's program is a result, and no exception: if Spark
 * repeated the task, it would only find the fault again.
 */
sealed interface Outcome extends Serializable {
  /** Returns the first of the shards that it covers. */
  int firstShard();

  /**
   * @param place the executors that have the shards now, for the next iteration
   * @param loads how many shards were read rather than found in memory
   */
  record Partial(int firstShard, List<WireValue> values, List<Place> place, int loads)
      implements Outcome {}

  record Failed(int firstShard, List<Fault> faults) implements Outcome {}

  /** A shard and the executor that has it. */
  record Place(int shard, String host, String executor) implements Serializable {
    /** Returns the location as Spark's scheduler reads it. */
    String location() {
      return "executor_" + host + "_" + executor;
    }
  }

  /** A diagnostic in a form that can be serialised. */
  record Fault(
      String code,
      String file,
      int line,
      int column,
      int endLine,
      int endColumn,
      String message,
      List<String> hints)
      implements Serializable {
    static Fault of(Diagnostic d) {
      var s = d.span();
      return new Fault(
          d.code().name(),
          s.file(),
          s.line(),
          s.column(),
          s.endLine(),
          s.endColumn(),
          d.message(),
          List.copyOf(d.hints()));
    }

    Diagnostic diagnostic() {
      var span = line > 0 ? new Span(file, line, column, endLine, endColumn) : Span.NONE;
      return new Diagnostic(ErrorCode.valueOf(code), span, message, hints);
    }
  }
}
