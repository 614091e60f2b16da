package dev.kenaz.distribute;

import dev.kenaz.value.ArrayValue;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Exchanges of rows between pieces that are in this process's memory. */
public final class MovedRows {
  private MovedRows() {}

  /** Returns the rows from the offset on, as many as the target has, cut as the target is. */
  static List<ArrayValue> recut(List<ArrayValue> parts, Cuts source, long offset, Cuts target) {
    if (offset == 0 && source.equals(target)) {
      return parts;
    }
    var all = ArrayValue.joined(parts);
    var result = new ArrayList<ArrayValue>();
    for (int p = 0; p < target.pieces(); p++) {
      result.add(all.rows(offset + target.first(p), offset + target.first(p + 1)));
    }
    return result;
  }

  /** Returns the rows with these numbers, and zeros for numbers of no row. */
  static List<ArrayValue> fetch(List<ArrayValue> parts, Cuts source, List<ArrayValue> index) {
    return index.stream().map(numbers -> fetched(parts, source, numbers)).toList();
  }

  /** Returns the rows of all these parts with such numbers, and zeros for numbers of no row. */
  public static ArrayValue fetched(List<ArrayValue> parts, Cuts source, ArrayValue numbers) {
    var row = parts.getFirst().shape();
    var shape = new long[numbers.rank() + row.length - 1];
    System.arraycopy(numbers.shape(), 0, shape, 0, numbers.rank());
    System.arraycopy(row, 1, shape, numbers.rank(), row.length - 1);
    var elem = parts.getFirst().elem();
    var data = ArrayValue.allocate(elem, shape);
    row[0] = 1;
    long bytes = ArrayValue.byteSize(elem, row);
    for (long i = 0; i < numbers.count(); i++) {
      long number = numbers.getLong(i);
      if (number >= 0 && number < source.rows()) {
        int piece = source.pieceOf(number);
        var from = parts.get(piece).data();
        long at = (number - source.first(piece)) * bytes;
        MemorySegment.copy(from, at, data, i * bytes, bytes);
      }
    }
    return ArrayValue.of(elem, data, shape);
  }

  /**
   * Returns, for the numbers and for each of the columns, what arrives at each piece of the target.
   */
  static List<List<ArrayValue>> send(
      List<ArrayValue> index, List<List<ArrayValue>> columns, Cuts target) {
    var numbers = ArrayValue.joined(index);
    var byPiece = byPiece(numbers, target);
    var whole = new ArrayList<ArrayValue>(List.of(numbers));
    columns.forEach(c -> whole.add(ArrayValue.joined(c)));
    var result = new ArrayList<List<ArrayValue>>();
    for (var column : whole) {
      result.add(byPiece.stream().map(rows -> picked(column, rows)).toList());
    }
    return result;
  }

  /** Returns the array whose dimension of that number has the rows that this one has first. */
  static ArrayValue rowsAt(int dim, ArrayValue rows) {
    if (dim == 0) {
      return rows;
    }
    var shape = rows.shape();
    long n = shape[0];
    System.arraycopy(shape, 1, shape, 0, dim);
    shape[dim] = n;
    var elem = rows.elem();
    var data = ArrayValue.allocate(elem, shape);
    long outer = 1;
    for (int i = 0; i < dim; i++) {
      outer *= shape[i];
    }
    var one = shape.clone();
    Arrays.fill(one, 0, dim + 1, 1);
    long bytes = ArrayValue.byteSize(elem, one);
    for (long i = 0; i < n; i++) {
      for (long o = 0; o < outer; o++) {
        MemorySegment.copy(rows.data(), (i * outer + o) * bytes, data, (o * n + i) * bytes, bytes);
      }
    }
    return ArrayValue.of(elem, data, shape);
  }

  /** Returns for each piece where the numbers of its rows are, in order. */
  public static List<long[]> byPiece(ArrayValue numbers, Cuts target) {
    var counts = new int[target.pieces()];
    for (long i = 0; i < numbers.count(); i++) {
      long number = numbers.getLong(i);
      if (number >= 0 && number < target.rows()) {
        counts[target.pieceOf(number)]++;
      }
    }
    var byPiece = IntStream.of(counts).mapToObj(long[]::new).toList();
    Arrays.fill(counts, 0);
    for (long i = 0; i < numbers.count(); i++) {
      long number = numbers.getLong(i);
      if (number >= 0 && number < target.rows()) {
        int piece = target.pieceOf(number);
        byPiece.get(piece)[counts[piece]++] = i;
      }
    }
    return byPiece;
  }

  /** Returns some rows of an array. */
  public static ArrayValue picked(ArrayValue column, long[] rows) {
    var shape = column.shape();
    shape[0] = 1;
    long bytes = ArrayValue.byteSize(column.elem(), shape);
    shape[0] = rows.length;
    var data = ArrayValue.allocate(column.elem(), shape);
    for (int i = 0; i < rows.length; i++) {
      MemorySegment.copy(column.data(), rows[i] * bytes, data, i * bytes, bytes);
    }
    return ArrayValue.of(column.elem(), data, shape);
  }
}
