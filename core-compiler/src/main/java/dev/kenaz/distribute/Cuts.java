package dev.kenaz.distribute;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Where a dataset is divided into pieces: stretches of rows, in order, which may be empty. */
public final class Cuts implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The first row of each piece, then the number of rows. */
  private final long[] firsts;

  private Cuts(long[] firsts) {
    this.firsts = firsts;
  }

  /** Pieces of about as many rows each. */
  public static Cuts even(long rows, int pieces) {
    var firsts = new long[pieces + 1];
    for (int p = 0; p <= pieces; p++) {
      firsts[p] = rows / pieces * p + Math.min(p, rows % pieces);
    }
    return new Cuts(firsts);
  }

  /**
   * Pieces between given rows.
   *
   * @param firsts the first row of each piece, then the number of rows; it begins with 0, and no
   *     number is less than the one before
   */
  public static Cuts between(long... firsts) {
    if (firsts.length < 2 || firsts[0] != 0) {
      throw new IllegalArgumentException("cuts begin with 0, and there is at least one piece");
    }
    for (int i = 1; i < firsts.length; i++) {
      if (firsts[i] < firsts[i - 1]) {
        throw new IllegalArgumentException("cut " + firsts[i] + " comes after " + firsts[i - 1]);
      }
    }
    return new Cuts(firsts.clone());
  }

  /** Pieces of so many rows. */
  public static Cuts ofRows(long... rowsOfPieces) {
    var firsts = LongStream.concat(LongStream.of(0), LongStream.of(rowsOfPieces)).toArray();
    for (int p = 1; p < firsts.length; p++) {
      firsts[p] = Math.addExact(firsts[p], firsts[p - 1]);
    }
    return between(firsts);
  }

  /** The cuts that {@link #value} gave. */
  public static Cuts of(ArrayValue value) {
    var firsts = new long[(int) value.shape()[0]];
    for (int p = 0; p < firsts.length; p++) {
      firsts[p] = value.getLong(p);
    }
    return between(firsts);
  }

  /** The first row of each piece, then the number of rows, as an array. */
  public ArrayValue value() {
    return ArrayValue.ofLongs(firsts, firsts.length);
  }

  /** The number of pieces; at least one. */
  public int pieces() {
    return firsts.length - 1;
  }

  /** How many rows the dataset has. */
  public long rows() {
    return firsts[firsts.length - 1];
  }

  /** The first row of a piece; of the one after the last, the number of rows. */
  public long first(int piece) {
    return firsts[piece];
  }

  /** The piece that has the row; its number is one of the dataset. */
  public int pieceOf(long row) {
    int low = 0;
    int high = pieces() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (firsts[middle] <= row) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /** What a stage's local function takes first: the values of {@link Pieces#params}. */
  public List<Value> numbers(int piece) {
    return LongStream.of(firsts[piece + 1] - firsts[piece], rows(), firsts[piece], piece, pieces())
        .<Value>mapToObj(ScalarValue::i64)
        .toList();
  }

  /**
   * Changes what a stage's local function takes to some of the piece's rows.
   *
   * @param arguments begin with {@link #numbers}
   * @param from the first of the rows, counted from the piece's first one
   */
  public static void narrow(List<Value> arguments, long from, long rows) {
    long first = ((ScalarValue) arguments.get(2)).asLong();
    arguments.set(0, ScalarValue.i64(rows));
    arguments.set(2, ScalarValue.i64(first + from));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cuts c && Arrays.equals(firsts, c.firsts);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(firsts);
  }

  @Override
  public String toString() {
    return LongStream.of(firsts).boxed().toList().toString();
  }
}
