package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6108;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;

/**
 * Copies rows of columns without nulls into a row-major matrix, converting on the way. Integers
 * must fit an integer type exactly, and only whole floats become integers; conversion to a float
 * rounds; on request, only floats may be rounded, and none to infinity. It works in blocks of rows,
 * so that the part of the matrix that it writes stays in the cache.
 */
final class MatrixCopy {
  private static final int BLOCK = 512;

  private final Prim to;
  private final MemorySegment out;
  private final long width;
  private final boolean exact;
  private final long[] bits = new long[BLOCK];
  private final double[] numbers = new double[BLOCK];

  /**
   * @param width how many elements a row of the matrix {@code out} has
   * @param exact whether an integer that would be rounded is a fault, and a float that is too large
   */
  MatrixCopy(Prim to, MemorySegment out, long width, boolean exact) {
    this.to = to;
    this.out = out;
    this.width = width;
    this.exact = exact;
  }

  /**
   * Copies all rows, columns side by side, to the rows from {@code row} on.
   *
   * @param rows the rows, none of which is null
   */
  void rows(RowBlock rows, long row) {
    var columns = rows.columns();
    if (columns.size() == 1) {
      alone(rows, row);
      return;
    }
    for (long from = 0; from < rows.rows(); from += BLOCK) {
      int n = (int) Math.min(BLOCK, rows.rows() - from);
      long outAt = (row + from) * width;
      for (var c : columns) {
        long w = c.info().width();
        for (int j = 0; j < w; j++) {
          strided(c, (c.offset() + from) * w + j, w, outAt++, width, n, rows);
        }
      }
    }
  }

  /**
   * Copies a single column. It has the matrix's own layout, so its elements are copied one after
   * the other.
   */
  private void alone(RowBlock rows, long row) {
    var c = rows.columns().getFirst();
    long at = c.offset() * width;
    long outAt = row * width;
    long count = c.rows() * width;
    if (c.prim() == to && to != Prim.BOOL) {
      long size = to.byteSize();
      MemorySegment.copy(c.data(), at * size, out, outAt * size, count * size);
      return;
    }
    for (long from = 0; from < count; from += BLOCK) {
      int n = (int) Math.min(BLOCK, count - from);
      strided(c, at + from, 1, outAt + from, 1, n, rows);
    }
  }

  /** Copies {@code n} elements from one stride to another. */
  private void strided(
      ColumnData c, long at, long stride, long outAt, long outStride, int n, RowBlock rows) {
    var p = c.prim();
    if (p == to && to.byteSize() >= 4) {
      Cells.copy(c.data(), at, stride, out, outAt, outStride, n, to.byteSize());
    } else if (p == to) {
      Cells.readBits(c.data(), p, at, stride, bits, n);
      Cells.writeBits(out, to, outAt, outStride, bits, n);
    } else if (to.isFloat()) {
      if (exact && !holdsAll(p)) {
        requireExact(c, at, stride, n, rows);
      }
      Cells.readDoubles(c.data(), p, at, stride, numbers, n);
      Cells.writeFloats(out, to, outAt, outStride, numbers, n);
    } else {
      toIntegers(c, at, stride, n, rows);
      Cells.writeBits(out, to, outAt, outStride, bits, n);
    }
  }

  private void toIntegers(ColumnData c, long at, long stride, int n, RowBlock rows) {
    var p = c.prim();
    // As doubles, the largest 64-bit integers round up to these numbers, and would seem to fit.
    double limit = to == Prim.U64 ? 0x1p64 : 0x1p63;
    Cells.readBits(c.data(), p, at, stride, bits, n);
    for (int i = 0; i < n; i++) {
      long b = bits[i];
      long converted = p.isFloat() ? to.fromDouble(p.toDouble(b)) : to.normalise(b);
      boolean fits =
          p.isFloat()
              ? to.toDouble(converted) == p.toDouble(b) && p.toDouble(b) < limit
              : converted == b && (p.isSigned() == to.isSigned() || b >= 0);
      if (!fits) {
        throw misfit(c, at + i * stride, b, rows);
      }
      bits[i] = converted;
    }
  }

  /** Whether every number of a type is one of the float type {@code to}. */
  private boolean holdsAll(Prim p) {
    if (p.isFloat()) {
      return p.byteSize() <= to.byteSize();
    }
    int significant = to == Prim.F64 ? 53 : to == Prim.F32 ? 24 : 11;
    return p == Prim.BOOL || 8 * p.byteSize() - (p.isSigned() ? 1 : 0) <= significant;
  }

  private void requireExact(ColumnData c, long at, long stride, int n, RowBlock rows) {
    var p = c.prim();
    Cells.readBits(c.data(), p, at, stride, bits, n);
    for (int i = 0; i < n; i++) {
      double x = p.toDouble(bits[i]);
      double taken = to.toDouble(to.fromDouble(x));
      boolean fits = p.isFloat() ? Double.isFinite(taken) || !Double.isFinite(x) : taken == x;
      if (!fits || !p.isFloat() && p.byteSize() == 8 && !isWhole(p, bits[i], x)) {
        throw misfit(c, at + i * stride, bits[i], rows);
      }
    }
  }

  /** Whether a double is that integer of 64 bits. */
  private static boolean isWhole(Prim p, long b, double x) {
    if (p.isSigned() || b >= 0) {
      return x < 0x1p63 && (long) x == b;
    }
    return x < 0x1p64 && (long) (x - 0x1p63) == b - Long.MIN_VALUE;
  }

  private UserError misfit(ColumnData c, long at, long bits, RowBlock rows) {
    long row = at / c.info().width() - c.offset() + rows.firstRow();
    return fault(
        K6108,
        rows.source()
            + ": column \""
            + c.info().name()
            + "\", row "
            + row
            + ": "
            + new ScalarValue(c.prim(), bits)
            + " is no "
            + to,
        "ask for a wider type, or f64");
  }
}
