package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;

import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.lang.foreign.MemorySegment;

/**
 * Copies rows of columns without nulls into a row-major matrix, converting on the way. Integers
 * must fit an integer type exactly, and floats must be whole to become integers; conversion to a
 * float rounds. Works in blocks of rows, so that the lines of the matrix it writes stay in cache.
 */
final class MatrixCopy {
  private static final int BLOCK = 512;

  private final Prim to;
  private final MemorySegment out;
  private final long width;
  private final long[] bits = new long[BLOCK];
  private final double[] numbers = new double[BLOCK];

  /**
   * @param width elements per row of the matrix {@code out}
   */
  MatrixCopy(Prim to, MemorySegment out, long width) {
    this.to = to;
    this.out = out;
    this.width = width;
  }

  /**
   * Copies all rows, columns side by side, to the rows from {@code row} on.
   *
   * @param rows none of them null
   */
  void rows(RowBlock rows, long row) {
    var columns = rows.columns();
    long n = rows.rows();
    if (columns.size() == 1 && sameLayout(columns.getFirst())) {
      whole(columns.getFirst(), row);
      return;
    }
    for (long from = 0; from < n; from += BLOCK) {
      int block = (int) Math.min(BLOCK, n - from);
      long column = 0;
      for (var c : columns) {
        for (int j = 0; j < c.info().width(); j++) {
          block(c, from, j, block, (row + from) * width + column++, rows);
        }
      }
    }
  }

  private boolean sameLayout(ColumnData c) {
    return c.prim() == to && to != Prim.BOOL && c.info().width() == width;
  }

  private void whole(ColumnData c, long row) {
    long rowBytes = width * to.byteSize();
    MemorySegment.copy(c.data(), c.offset() * rowBytes, out, row * rowBytes, c.rows() * rowBytes);
  }

  private void block(ColumnData c, long from, int j, int n, long outAt, RowBlock rows) {
    var p = c.prim();
    long stride = c.info().width();
    long at = (c.offset() + from) * stride + j;
    if (p == to && to.byteSize() >= 4) {
      Cells.copy(c.data(), at, stride, out, outAt, width, n, to.byteSize());
    } else if (p == to) {
      Cells.readBits(c.data(), p, at, stride, bits, n);
      Cells.writeBits(out, to, outAt, width, bits, n);
    } else if (to.isFloat()) {
      Cells.readDoubles(c.data(), p, at, stride, numbers, n);
      Cells.writeFloats(out, to, outAt, width, numbers, n);
    } else {
      toIntegers(c, from, at, n, rows);
      Cells.writeBits(out, to, outAt, width, bits, n);
    }
  }

  private void toIntegers(ColumnData c, long from, long at, int n, RowBlock rows) {
    var p = c.prim();
    // The largest 64-bit integers round up to these as doubles, and would seem to fit.
    double limit = to == Prim.U64 ? 0x1p64 : 0x1p63;
    Cells.readBits(c.data(), p, at, c.info().width(), bits, n);
    for (int i = 0; i < n; i++) {
      long b = bits[i];
      long converted = p.isFloat() ? to.fromDouble(p.toDouble(b)) : to.normalise(b);
      boolean fits =
          p.isFloat()
              ? to.toDouble(converted) == p.toDouble(b) && p.toDouble(b) < limit
              : converted == b && (p.isSigned() == to.isSigned() || b >= 0);
      if (!fits) {
        throw fault(
            "K6108",
            rows.source()
                + ": column \""
                + c.info().name()
                + "\", row "
                + (rows.firstRow() + from + i)
                + ": "
                + new ScalarValue(p, b)
                + " is no "
                + to,
            "ask for a wider type, or f64");
      }
      bits[i] = converted;
    }
  }
}
