package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.MovedRows;
import dev.kenaz.value.ArrayValue;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.apache.spark.TaskContext;
import scala.Tuple2;

/** Exchanges in which each piece knows by itself which of its rows other pieces need. */
final class RowsMoved {
  private RowsMoved() {}

  /** Says which rows go where. */
  interface Move extends Serializable {
    /**
     * Returns what a piece has for others.
     *
     * @param parts the piece's part of each value
     * @param wanted the pieces that matter
     */
    Map<Integer, List<ArrayValue>> parcels(int from, List<ArrayValue> parts, IntPredicate wanted);
  }

  /** A stretch of rows is cut in another way: {@code to[i] = from[offset + i]}. */
  record Stretch(Cuts source, long offset, Cuts target) implements Move {
    @Override
    public Map<Integer, List<ArrayValue>> parcels(
        int from, List<ArrayValue> parts, IntPredicate wanted) {
      // These are numbers of rows of the target.
      long first = Math.max(0, source.first(from) - offset);
      long end = Math.min(target.rows(), source.first(from + 1) - offset);
      var parcels = new TreeMap<Integer, List<ArrayValue>>();
      long start = source.first(from) - offset;
      for (long row = first; row < end; ) {
        int to = target.pieceOf(row);
        long next = Math.min(end, target.first(to + 1));
        if (wanted.test(to)) {
          long begin = row;
          var rows = parts.stream().map(p -> p.rows(begin - start, next - start)).toList();
          parcels.put(to, rows);
        }
        row = next;
      }
      return parcels;
    }
  }

  /** Values go to the pieces that have the rows of these numbers, which are the first value. */
  record ByNumber(Cuts target) implements Move {
    @Override
    public Map<Integer, List<ArrayValue>> parcels(
        int from, List<ArrayValue> parts, IntPredicate wanted) {
      var byPiece = MovedRows.byPiece(parts.getFirst(), target);
      var parcels = new TreeMap<Integer, List<ArrayValue>>();
      for (int to = 0; to < byPiece.size(); to++) {
        var rows = byPiece.get(to);
        if (rows.length > 0 && wanted.test(to)) {
          parcels.put(to, parts.stream().map(p -> MovedRows.picked(p, rows)).toList());
        }
      }
      return parcels;
    }
  }

  /** Sends what other pieces need. */
  record Sent(Move move, Piece.Where parts) implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      return Parcel.all(piece, move.parcels(piece, parts.read(given), to -> to != piece));
    }
  }

  /** Joins what arrives with what the piece has for itself, in the order of the pieces. */
  record Arrived(Move move, Piece.Where parts) implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      var mine = parts.read(given);
      var byPiece = new TreeMap<Integer, List<ArrayValue>>();
      move.parcels(piece, mine, to -> to == piece).forEach(byPiece::put);
      Parcel.arrived(given.getLast()).forEach(p -> byPiece.put(p.from(), p.read()));
      var columns = new ArrayList<ArrayValue>();
      for (int c = 0; c < mine.size(); c++) {
        // If nothing arrives, this tells the shape of rows.
        var all = new ArrayList<>(List.of(mine.get(c).rows(0, 0)));
        for (var rows : byPiece.values()) {
          all.add(rows.get(c));
        }
        columns.add(ArrayValue.joined(all));
      }
      return List.of(Piece.of(piece, columns)).iterator();
    }
  }

  /** Sends all that a piece has to itself. */
  record ToItself() implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      var rows = ((Piece) given.getFirst().getFirst()).rows();
      return List.of(new Tuple2<>(piece, new Parcel(piece, rows, null))).iterator();
    }
  }

  /** Takes what a piece has sent to itself. */
  record FromItself() implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      var parcel = Parcel.arrived(given.getFirst()).findFirst().orElseThrow();
      var outcome = Outcome.Done.of(piece, List.of(), List.of(), 0, Outcome.Times.NONE);
      return List.of(new Piece(outcome, parcel.values())).iterator();
    }
  }
}
