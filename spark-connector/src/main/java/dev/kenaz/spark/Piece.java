package dev.kenaz.spark;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import dev.kenaz.distribute.Plan;
import dev.kenaz.distribute.RowFiles;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.TaskContext;
import scala.Tuple2;

/**
 * What executors have of a piece: what a stage or an exchange has made of it.
 *
 * @param outcome the piece's contribution to what the driver gets
 * @param rows the piece's part of each row-wise value
 */
@DefaultSerializer(JavaSerializer.class)
record Piece(Outcome outcome, List<WireValue> rows) implements Serializable {

  /** Makes what an exchange brings to a piece; the outcome tells how many rows. */
  static Piece of(int piece, List<ArrayValue> rows) {
    var outcome = telling(piece, rows.getFirst().dim(0));
    return new Piece(outcome, List.copyOf(WireValue.of(List.copyOf(rows))));
  }

  /** Returns the outcome that tells how many rows a piece has. */
  private static Outcome telling(int piece, long rows) {
    var count = List.copyOf(WireValue.of(List.of(ScalarValue.i64(rows))));
    return Outcome.Done.of(
        piece, List.of(new Outcome.Part(piece, 1, count)), List.of(), 0, Outcome.Times.NONE);
  }

  /** Returns how many rows the outcome of {@link #telling} tells. */
  static long rowsOf(Outcome outcome) {
    var part = ((Outcome.Done) outcome).parts().getFirst();
    return ((ScalarValue) part.values().getFirst().read()).asLong();
  }

  private ArrayValue read(int column) {
    return (ArrayValue) rows.get(column).read();
  }

  /** Returns why the program failed on what work is given: pieces and parcels. */
  static Optional<Outcome.Failed> failure(List<List<?>> given) {
    return given.stream()
        .flatMap(List::stream)
        .map(Piece::failureOf)
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static Outcome.Failed failureOf(Object given) {
    return switch (given) {
      case Piece(Outcome.Failed f, _) -> f;
      case Tuple2<?, ?> t -> ((Parcel) t._2()).failure();
      default -> null;
    };
  }

  /** Work that makes a piece, if what it is given didn't fail. */
  record Making(PieceRdd.Work<Piece> work) implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      var failure = failure(given);
      return failure.isEmpty()
          ? work.run(piece, given, context)
          : List.of(new Piece(failure.get(), List.of())).iterator();
    }
  }

  /**
   * A row-wise value that executors have.
   *
   * @param column its place in {@link Piece#rows}
   */
  record Rows(PieceRdd<Piece> pieces, int column) {}

  /**
   * Where a task finds row-wise values.
   *
   * @param parents for each of them, the number of the dataset
   * @param columns for each of them, the column there
   */
  record Where(List<Integer> parents, List<Integer> columns) implements Serializable {
    List<ArrayValue> read(List<List<?>> given) {
      var all = new ArrayList<ArrayValue>();
      for (int i = 0; i < parents.size(); i++) {
        all.add(((Piece) given.get(parents.get(i)).getFirst()).read(columns.get(i)));
      }
      return all;
    }
  }

  /** Row-wise values that a job reads: the datasets that have them, and where. */
  record Reads(List<PieceRdd<Piece>> datasets, Where where) {
    static Reads of(List<Rows> rows) {
      var datasets = new LinkedHashSet<PieceRdd<Piece>>();
      rows.forEach(r -> datasets.add(r.pieces()));
      var order = List.copyOf(datasets);
      var parents = rows.stream().map(r -> order.indexOf(r.pieces())).toList();
      return new Reads(order, new Where(parents, rows.stream().map(Rows::column).toList()));
    }
  }

  /**
   * A stage's work on a piece.
   *
   * @param loads whether it takes the dataset's columns
   * @param stored how many of its results executors keep
   * @param firstState where the replicated values begin that a piece hands to the next
   * @param states how many there are
   * @param begins those values for each piece, as far as they are known yet. A job has them as they
   *     are when it begins
   */
  record OfStage(
      ShardTask task,
      Where reads,
      boolean loads,
      int stored,
      int firstState,
      int states,
      ArrayList<List<SentValues.Sent>> begins)
      implements PieceRdd.Work<Piece> {
    static OfStage of(ShardTask task, Where reads, Plan.Stage stage) {
      int states = stage.states();
      return new OfStage(
          task,
          reads,
          !stage.sharded().isEmpty(),
          stage.stored().size(),
          stage.broadcast().size() - states,
          states,
          new ArrayList<>());
    }

    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      List<Value> values = List.copyOf(reads.read(given));
      return List.of(taskOf(piece).run(piece, values, loads, stored, context)).iterator();
    }

    private ShardTask taskOf(int piece) {
      if (states == 0) {
        return task;
      }
      var replicated = new ArrayList<>(task.replicated());
      for (int k = 0; k < states; k++) {
        replicated.set(firstState + k, begins.get(piece).get(k));
      }
      return new ShardTask(
          task.program(), task.source(), replicated, task.cacheBytes(), task.counters());
    }
  }

  /** Writes a piece's rows of a value. */
  record Written(int column, RowFiles to) implements PieceRdd.Work<Outcome> {
    @Override
    public Iterator<Outcome> run(int piece, List<List<?>> given, TaskContext context) {
      var failure = failure(given);
      if (failure.isPresent()) {
        return List.<Outcome>of(failure.get()).iterator();
      }
      try {
        var rows = ((Piece) given.getFirst().getFirst()).read(column);
        to.write(piece, rows);
        return List.of(telling(piece, rows.dim(0))).iterator();
      } catch (UserError e) {
        return List.of(failed(piece, e)).iterator();
      }
    }
  }

  /** Reads what was written. */
  record FromFiles(RowFiles from) implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      try {
        return List.of(Piece.of(piece, List.of(from.read(piece)))).iterator();
      } catch (UserError e) {
        return List.of(new Piece(failed(piece, e), List.of())).iterator();
      }
    }
  }

  private static Outcome failed(int piece, UserError e) {
    return new Outcome.Failed(piece, piece, Outcome.Fault.of(e));
  }

  /** Gives what a piece of the last dataset contributes to what the driver gets. */
  record OutcomeOf() implements PieceRdd.Work<Outcome> {
    @Override
    public Iterator<Outcome> run(int piece, List<List<?>> given, TaskContext context) {
      Outcome outcome = ((Piece) given.getLast().getFirst()).outcome();
      return List.of(failure(given).<Outcome>map(f -> f).orElse(outcome)).iterator();
    }
  }
}
