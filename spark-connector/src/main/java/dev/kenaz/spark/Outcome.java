package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a task. A fault of the user's program is a result, and no exception: if Spark
 * repeated the task, it would only find the fault again.
 */
sealed interface Outcome extends Serializable {
  /** Returns the number of the task, or of the group of tasks. */
  int group();

  /**
   * What the program gives for some shards.
   *
   * @param parts what the shards give, combined as far as they are neighbours
   * @param places the executors that have the shards now, for the next run
   * @param loads how many shards were read rather than found in memory
   * @param times how long the tasks took
   * @param bytes how many bytes the tasks gave in all
   */
  @DefaultSerializer(JavaSerializer.class)
  record Done(int group, List<Part> parts, List<Place> places, int loads, Times times, long bytes)
      implements Outcome {
    static Done of(int group, List<Part> parts, List<Place> places, int loads, Times times) {
      return new Done(group, parts, places, loads, times, bytes(parts));
    }

    private static long bytes(List<Part> parts) {
      return parts.stream().flatMap(p -> p.values().stream()).mapToLong(WireValue::bytes).sum();
    }
  }

  /**
   * @param shard the shard on which the program failed
   */
  @DefaultSerializer(JavaSerializer.class)
  record Failed(int group, int shard, List<Fault> faults) implements Outcome {}

  /**
   * How long tasks took, in nanoseconds, all together.
   *
   * @param compute in the program
   * @param data reading shards
   * @param combination combining what shards gave
   */
  record Times(long compute, long data, long combination) implements Serializable {
    static final Times NONE = new Times(0, 0, 0);

    Times plus(Times t) {
      return new Times(compute + t.compute, data + t.data, combination + t.combination);
    }
  }

  /** The partial result of a stretch of shards: a node of a {@link CombineTree}. */
  record Part(int first, int count, List<WireValue> values) implements Serializable {}

  /** Joins outcomes. If the program failed, the first shard on which it did counts. */
  static Outcome joined(int group, Iterable<Outcome> outcomes) {
    Failed first = null;
    var parts = new ArrayList<Part>();
    var places = new ArrayList<Place>();
    int loads = 0;
    var times = Times.NONE;
    long bytes = 0;
    for (var outcome : outcomes) {
      switch (outcome) {
        case Failed f -> first = first == null || f.shard < first.shard ? f : first;
        case Done d -> {
          parts.addAll(d.parts);
          places.addAll(d.places);
          loads += d.loads;
          times = times.plus(d.times);
          bytes += d.bytes;
        }
      }
    }
    return first == null
        ? new Done(group, parts, places, loads, times, bytes)
        : new Failed(group, first.shard, first.faults);
  }

  /** A shard and the executor that has it. */
  record Place(int shard, String host, String executor) implements Serializable {
    /** Returns the location as Spark's scheduler reads it. */
    String location() {
      return "executor_" + host + "_" + executor;
    }
  }

  /** A diagnostic in a form that can be serialised. */
  @DefaultSerializer(JavaSerializer.class)
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
    /** Returns the diagnostics of an error, in a list that can be serialised. */
    static List<Fault> of(UserError e) {
      return List.copyOf(e.diagnostics().stream().map(Fault::of).toList());
    }

    static UserError error(List<Fault> faults) {
      return new UserError(faults.stream().map(Fault::diagnostic).toList());
    }

    private static Fault of(Diagnostic d) {
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

    private Diagnostic diagnostic() {
      var span = line > 0 ? new Span(file, line, column, endLine, endColumn) : Span.NONE;
      return new Diagnostic(ErrorCode.valueOf(code), span, message, hints);
    }
  }
}
