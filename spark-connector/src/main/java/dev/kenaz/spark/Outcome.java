package dev.kenaz.spark;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import java.io.Serializable;
import java.util.List;

/**
 * What a task sends back. A fault of the user's is a result, not an exception: repeating the task
 * would only find it again.
 */
sealed interface Outcome extends Serializable {
  /** The first of the shards that it covers. */
  int firstShard();

  /**
   * @param place where the shards are loaded now, for the next iteration
   * @param loads how many shards were read rather than found in memory
   */
  record Partial(int firstShard, List<WireValue> values, List<Place> place, int loads)
      implements Outcome {}

  record Failed(int firstShard, List<Fault> faults) implements Outcome {}

  /** A shard and the executor that has it. */
  record Place(int shard, String host, String executor) implements Serializable {
    /** As Spark's scheduler reads a location. */
    String location() {
      return "executor_" + host + "_" + executor;
    }
  }

  /** A diagnostic in a form that travels. */
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
