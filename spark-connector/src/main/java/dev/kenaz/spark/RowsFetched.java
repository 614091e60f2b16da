package dev.kenaz.spark;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.MovedRows;
import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.spark.TaskContext;
import scala.Tuple2;

/**
 * The exchange that brings rows by their numbers. Pieces ask the owners of the rows, which answer.
 * A piece asks for a row once, however often its number occurs. Or pieces are sent all rows, where
 * that is faster ({@link dev.kenaz.distribute.WholeTable}).
 */
final class RowsFetched {
  private RowsFetched() {}

  /** Returns the numbers of rows that occur, in ascending order. */
  private static long[] wanted(ArrayValue numbers, Cuts source) {
    return LongStream.range(0, numbers.count())
        .map(numbers::getLong)
        .filter(n -> n >= 0 && n < source.rows())
        .sorted()
        .distinct()
        .toArray();
  }

  /** Divides ascending numbers among the pieces that own their rows. */
  private static Map<Integer, long[]> byOwner(long[] wanted, Cuts source) {
    var byOwner = new TreeMap<Integer, long[]>();
    for (int i = 0; i < wanted.length; ) {
      int owner = source.pieceOf(wanted[i]);
      int end = Arrays.binarySearch(wanted, source.first(owner + 1));
      int next = end < 0 ? -end - 1 : end;
      byOwner.put(owner, Arrays.copyOfRange(wanted, i, next));
      i = next;
    }
    return byOwner;
  }

  /** Returns the rows with these numbers, which the piece owns. */
  private static ArrayValue picked(ArrayValue part, LongStream numbers, int piece, Cuts source) {
    return MovedRows.picked(part, numbers.map(n -> n - source.first(piece)).toArray());
  }

  /** Sends a piece's rows to all other pieces. */
  record Sent(int pieces, Piece.Where from) implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      var part = from.read(given).getFirst();
      return IntStream.range(0, part.shape()[0] == 0 ? 0 : pieces)
          .filter(to -> to != piece)
          .mapToObj(to -> Parcel.of(piece, to, List.of(part)))
          .iterator();
    }
  }

  /** Reads the rows with these numbers of all that were sent. */
  record Read(Cuts source, Piece.Where fromAndIndex) implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      var mine = fromAndIndex.read(given);
      var parts = new ArrayList<>(Collections.nCopies(source.pieces(), mine.get(0).rows(0, 0)));
      parts.set(piece, mine.get(0));
      Parcel.arrived(given.getLast()).forEach(p -> parts.set(p.from(), p.read().getFirst()));
      var rows = MovedRows.fetched(parts, source, mine.get(1));
      return List.of(Piece.of(piece, List.of(rows))).iterator();
    }
  }

  /** Asks other pieces for rows. */
  record Asked(Cuts source, Piece.Where index) implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      var parcels = new TreeMap<Integer, List<ArrayValue>>();
      byOwner(wanted(index.read(given).getFirst(), source), source)
          .forEach((to, numbers) -> parcels.put(to, List.of(ArrayValue.ofLongs(numbers))));
      parcels.remove(piece);
      return Parcel.all(piece, parcels);
    }
  }

  /** Answers other pieces. */
  record Answered(Cuts source, Piece.Where from) implements PieceRdd.Work<Tuple2<Integer, Parcel>> {
    @Override
    public Iterator<Tuple2<Integer, Parcel>> run(
        int piece, List<List<?>> given, TaskContext context) {
      var part = from.read(given).getFirst();
      return Parcel.arrived(given.getLast())
          .map(
              asked -> {
                var numbers = LongStream.of(asked.read().getFirst().toLongArray());
                return Parcel.of(
                    piece, asked.from(), List.of(picked(part, numbers, piece, source)));
              })
          .iterator();
    }
  }

  /** Puts the rows where their numbers are. */
  record Arrived(Cuts source, Piece.Where fromAndIndex) implements PieceRdd.Work<Piece> {
    @Override
    public Iterator<Piece> run(int piece, List<List<?>> given, TaskContext context) {
      var mine = fromAndIndex.read(given);
      var part = mine.get(0);
      var numbers = mine.get(1);
      var wanted = wanted(numbers, source);
      var byOwner = new TreeMap<Integer, ArrayValue>();
      var own = byOwner(wanted, source).get(piece);
      if (own != null) {
        byOwner.put(piece, picked(part, LongStream.of(own), piece, source));
      }
      Parcel.arrived(given.getLast()).forEach(p -> byOwner.put(p.from(), p.read().getFirst()));
      var all = new ArrayList<>(List.of(part.rows(0, 0)));
      all.addAll(byOwner.values());
      var rows = filled(ArrayValue.joined(all), wanted, numbers);
      return List.of(Piece.of(piece, List.of(rows))).iterator();
    }

    private static ArrayValue filled(ArrayValue rows, long[] wanted, ArrayValue numbers) {
      var row = rows.shape();
      var shape = Arrays.copyOf(numbers.shape(), numbers.rank() + row.length - 1);
      System.arraycopy(row, 1, shape, numbers.rank(), row.length - 1);
      var data = ArrayValue.allocate(rows.elem(), shape);
      row[0] = 1;
      long bytes = ArrayValue.byteSize(rows.elem(), row);
      for (long i = 0; i < numbers.count(); i++) {
        int at = Arrays.binarySearch(wanted, numbers.getLong(i));
        if (at >= 0) {
          MemorySegment.copy(rows.data(), at * bytes, data, i * bytes, bytes);
        }
      }
      return ArrayValue.of(rows.elem(), data, shape);
    }
  }
}
