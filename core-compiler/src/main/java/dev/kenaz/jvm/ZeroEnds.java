package dev.kenaz.jvm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Finds what need not be multiplied in the product of a block with some columns of the other
 * factor: the zeros with which columns of triangular and banded matrices begin and end, or rows of
 * such blocks.
 *
 * <p>A finite number times zero is zero, of either sign, and as sums begin at zero, they are never
 * a negative zero; so adding it leaves each of them as it is. An infinity or NaN times zero is NaN.
 * So zeros of one factor are left out only where the other one is finite, which is looked up when
 * there are zeros.
 */
final class ZeroEnds {
  private static final MemorySegment ALL = NativeMemory.ALL;
  private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /** With a smaller depth, little can be left out. */
  private static final int LEAST_DEPTH = 16;

  private final int size;
  private final boolean checked;
  private final FiniteNumbers finite;
  private final Span all;
  private final Matrix block;

  /** What is left of the rows from one on; null if that is all. */
  private Span[] ofRows;

  private Matrix panel;
  private Span ofPanel;
  private Boolean finiteBlock;
  private Boolean finitePanel;

  /**
   * @param size of an element: those of four bytes are f32, those of eight are f64
   * @param checked whether addresses are those of {@link CheckedMemory}
   * @param finite tells whether all numbers of a matrix are
   * @param block what is multiplied of the left factor
   * @param depth how many columns of it there are
   */
  ZeroEnds(int size, boolean checked, FiniteNumbers finite, Matrix block, int depth) {
    this.size = size;
    this.checked = checked;
    this.finite = finite;
    this.block = block;
    all = new Span(0, depth);
    ofPanel = all;
  }

  /**
   * A matrix in memory whose columns are adjacent.
   *
   * @param row bytes from a row to the next
   */
  record Matrix(long address, long row, int rows, int columns) {}

  /** Which columns of the left factor, and rows of the right one, are multiplied. */
  record Span(int from, int to) {
    int depth() {
      return to - from;
    }

    private Span and(Span other) {
      int first = Math.max(from, other.from);
      return new Span(first, Math.max(first, Math.min(to, other.to)));
    }
  }

  /** Whether it may pay to look for zeros. */
  static boolean pays(int depth) {
    return depth >= LEAST_DEPTH;
  }

  /**
   * Takes note of rows of the left factor that are multiplied together.
   *
   * @param i the first of them
   * @param address of its first element
   * @param row bytes from a row to the next
   * @param column bytes from a column to the next
   * @param height how many rows there are
   */
  void rows(int i, long address, long row, long column, int height) {
    int from = 0;
    int to = all.to;
    while (from < to && isZero(address + from * column, row, height)) {
      from++;
    }
    while (from < to && isZero(address + (to - 1) * column, row, height)) {
      to--;
    }
    if (to - from < all.to) {
      ofRows = ofRows == null ? new Span[block.rows] : ofRows;
      ofRows[i] = new Span(from, to);
    }
  }

  /** Goes on to a panel of the right factor, whose rows are whole vectors. */
  void take(Matrix rows) {
    panel = rows;
    finitePanel = null;
    int bytes = rows.columns * size;
    int from = 0;
    int to = rows.rows;
    while (from < to && isZero(read(rows.address + from * rows.row, bytes), bytes)) {
      from++;
    }
    while (from < to && isZero(read(rows.address + (to - 1) * rows.row, bytes), bytes)) {
      to--;
    }
    ofPanel = to - from < all.to && finiteBlock() ? new Span(from, to) : all;
  }

  /** Returns what is multiplied of the panel and the rows from that one on. */
  Span of(int i) {
    if (ofRows == null || ofRows[i] == null) {
      return ofPanel;
    }
    finitePanel = finitePanel == null ? isFinite(panel) : finitePanel;
    return finitePanel ? ofRows[i].and(ofPanel) : ofPanel;
  }

  private boolean finiteBlock() {
    finiteBlock = finiteBlock == null ? isFinite(block) : finiteBlock;
    return finiteBlock;
  }

  private boolean isFinite(Matrix m) {
    return finite.of(m.address, m.row, m.rows, m.columns);
  }

  private long read(long address, long bytes) {
    return checked ? CheckedMemory.read(address, bytes) : address;
  }

  private boolean isZero(long address, long step, int n) {
    for (int k = 0; k < n; k++) {
      long at = read(address + k * step, size);
      boolean zero = size == Double.BYTES ? ALL.get(F64, at) == 0 : ALL.get(F32, at) == 0;
      if (!zero) {
        return false;
      }
    }
    return true;
  }

  /** Whether whole vectors are zeros, of either sign. */
  private boolean isZero(long address, int bytes) {
    return size == Double.BYTES ? isZero64(address, bytes) : isZero32(address, bytes);
  }

  private static boolean isZero64(long address, int bytes) {
    for (int k = 0; k < bytes; k += Vectors.F64.vectorByteSize()) {
      if (!FiniteNumbers.vector64(address + k).eq(0).allTrue()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isZero32(long address, int bytes) {
    for (int k = 0; k < bytes; k += Vectors.F32_FULL.vectorByteSize()) {
      if (!FiniteNumbers.vector32(address + k).eq(0).allTrue()) {
        return false;
      }
    }
    return true;
  }
}
