package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Multiplies matrices, {@link dev.kenaz.loopir.Code.MatrixProduct}, in blocks for the caches.
 *
 * <p>A block of {@code a} and a panel of {@code b}, one tile wide, are copied into the order in
 * which {@link RegisterTiles} read them where they are used often enough, or where columns of
 * {@code b} aren't adjacent; otherwise tiles read them in place. Columns that don't fill a vector
 * go through a panel padded with zeros and a tile of scratch.
 */
public final class MatrixProduct {
  private static final int BLOCK_ROWS = 256;
  private static final int BLOCK_DEPTH = 256;

  /** If there are more rows, a copy of a panel of b pays, even if its columns are adjacent. */
  private static final int FEW_ROWS = 128;

  /**
   * If there are more panels, a copy of a block of a pays, even if its rows or columns are
   * adjacent.
   */
  private static final int FEW_PANELS = 8;

  /** So many tiles are short at first, because HotSpot optimises what is called often. */
  private static final int WARM_UP = 20_000;

  private static final int WARM_UP_DEPTH = 16;

  private static final MemorySegment ALL = NativeMemory.ALL;
  private static final MatrixProduct F32 = new MatrixProduct(Prim.F32, false);
  private static final MatrixProduct F64 = new MatrixProduct(Prim.F64, false);

  /** The products that check their accesses, made when they are first asked for. */
  private static final class Checked {
    static final MatrixProduct F32 = new MatrixProduct(Prim.F32, true);
    static final MatrixProduct F64 = new MatrixProduct(Prim.F64, true);
  }

  private static final ValueLayout.OfDouble F64_AT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat F32_AT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int size;
  private final int lanes;
  private final boolean checked;
  private final RegisterTiles.Tile tile;
  private int calls;

  /**
   * @param checked whether addresses are those of {@link CheckedMemory}
   */
  private MatrixProduct(Prim prim, boolean checked) {
    this.checked = checked;
    size = prim.byteSize();
    lanes = Vectors.lanes(size);
    tile = RegisterTiles.of(prim, checked);
  }

  /** Returns the number of vectors in a tile, which is two where there are few registers. */
  private int widest() {
    return lanes * size >= 64 ? RegisterTiles.VECTORS : RegisterTiles.VECTORS / 2;
  }

  /** A matrix in memory, with strides in bytes. */
  private record Matrix(long address, long row, long column) {
    long at(long i, long j) {
      return address + i * row + j * column;
    }
  }

  /**
   * Multiplies for generated code.
   *
   * @param wide whether the elements are f64, or else f32
   * @param operands address and strides in elements of c (whose columns are adjacent: the row's
   *     only), a and b; rows, columns and depth
   * @param add whether to add to what is in c, or to replace it
   */
  public static void run(boolean wide, long[] operands, boolean add) {
    (wide ? F64 : F32).run(operands, add);
  }

  /** Multiplies likewise in checked memory. */
  static void runChecked(boolean wide, long[] operands, boolean add) {
    (wide ? Checked.F64 : Checked.F32).run(operands, add);
  }

  private void run(long[] operands, boolean add) {
    int s = size;
    run(
        new Matrix(operands[0], operands[1] * s, s),
        new Matrix(operands[2], operands[3] * s, operands[4] * s),
        new Matrix(operands[5], operands[6] * s, operands[7] * s),
        operands[8],
        operands[9],
        operands[10],
        add);
  }

  private void run(Matrix c, Matrix a, Matrix b, long rows, long columns, long depth, boolean add) {
    if (rows <= 0 || columns <= 0 || depth <= 0 && add) {
      return;
    }
    int panel = widest() * lanes;
    boolean adjacent = a.row == size || a.column == size;
    boolean reused = columns >= (adjacent ? FEW_PANELS : 2L) * panel;
    long blockBytes = reused ? (long) BLOCK_ROWS * BLOCK_DEPTH * size : 0;
    long panelBytes = (long) BLOCK_DEPTH * panel * size;
    long edgeBytes = (long) RegisterTiles.ROWS * panel * size;
    long bytes = blockBytes + panelBytes + edgeBytes;
    long scratch =
        checked ? CheckedMemory.allocate(bytes, "scratch") : NativeMemory.allocate(bytes);
    try {
      var space =
          new Scratch(blockBytes == 0 ? 0 : scratch + panelBytes + edgeBytes, scratch, panelBytes);
      for (long i = 0; i < rows; i += BLOCK_ROWS) {
        int height = (int) Math.min(BLOCK_ROWS, rows - i);
        long k = 0;
        do {
          int deep = (int) Math.min(calls < WARM_UP ? WARM_UP_DEPTH : BLOCK_DEPTH, depth - k);
          var block = new Matrix(a.at(i, k), a.row, a.column);
          var slab = new Matrix(b.at(k, 0), b.row, b.column);
          var target = new Matrix(c.at(i, 0), c.row, c.column);
          block(space, target, block, slab, height, columns, deep, add || k > 0);
          k += deep;
        } while (k < depth);
      }
    } finally {
      if (checked) {
        CheckedMemory.free(scratch);
      } else {
        NativeMemory.free(scratch, NativeMemory.capacity(bytes));
      }
    }
  }

  /**
   * Scratch memory of a product.
   *
   * @param block the memory for a's block, 0 if that is read in place
   */
  private record Scratch(long block, long panel, long panelBytes) {
    long edge() {
      return panel + panelBytes;
    }
  }

  private void block(
      Scratch space, Matrix c, Matrix a, Matrix b, int rows, long columns, int depth, boolean add) {
    var left = a;
    if (space.block != 0) {
      left = new Matrix(space.block, size, (long) rows * size);
      pack(left, a, rows, depth);
    }
    int panel = widest() * lanes;
    for (long j = 0; j < columns; j += panel) {
      int width = (int) Math.min(panel, columns - j);
      int vectors = (width + lanes - 1) / lanes;
      var right = new Matrix(b.at(0, j), b.row, b.column);
      boolean ragged = width < vectors * lanes;
      if (ragged || b.column != size || rows >= FEW_ROWS) {
        var packed = new Matrix(space.panel, (long) vectors * lanes * size, size);
        packPanel(packed, right, depth, width, vectors * lanes);
        right = packed;
      }
      var target = new Matrix(c.at(0, j), c.row, size);
      panel(space, target, left, right, rows, width, vectors, depth, add);
    }
  }

  private void panel(
      Scratch space,
      Matrix c,
      Matrix a,
      Matrix b,
      int rows,
      int width,
      int vectors,
      int depth,
      boolean add) {
    boolean ragged = width < vectors * lanes;
    long edgeRow = (long) vectors * lanes * size;
    var frame = new long[] {0, a.row, a.column, b.address, b.row, space.edge(), edgeRow};
    for (int i = 0; i < rows; ) {
      int height = rows - i >= 4 ? 4 : rows - i >= 2 ? 2 : 1;
      calls++;
      frame[0] = a.at(i, 0);
      if (ragged) {
        tile.run(height, vectors, frame, depth, false);
        for (int r = 0; r < height; r++) {
          move(c.at(i + r, 0), space.edge() + r * edgeRow, width, add);
        }
      } else {
        frame[5] = c.at(i, 0);
        frame[6] = c.row;
        tile.run(height, vectors, frame, depth, add);
      }
      i += height;
    }
  }

  /** Copies a block so that its columns become contiguous. */
  private void pack(Matrix to, Matrix from, int rows, int depth) {
    for (int i = 0; i < rows; i++) {
      tile.copy(to.at(i, 0), to.column, from.at(i, 0), from.column, depth);
    }
  }

  /** Copies a panel so that its rows become contiguous, with zeros after the last column. */
  private void packPanel(Matrix to, Matrix from, int depth, int width, int padded) {
    if (from.column == size) {
      for (int k = 0; k < depth; k++) {
        copy(to.at(k, 0), from.at(k, 0), (long) width * size);
      }
    } else {
      for (int j = 0; j < width; j++) {
        tile.copy(to.at(0, j), to.row, from.at(0, j), from.row, depth);
      }
    }
    if (width < padded) {
      for (int k = 0; k < depth; k++) {
        long bytes = (long) (padded - width) * size;
        ALL.asSlice(write(to.at(k, width), bytes), bytes).fill((byte) 0);
      }
    }
  }

  /** Moves elements at edges; these are so few that plain access is fast enough. */
  private void move(long toAddress, long fromAddress, int n, boolean add) {
    long to = write(toAddress, (long) n * size);
    long from = read(fromAddress, (long) n * size);
    if (!add) {
      MemorySegment.copy(ALL, from, ALL, to, (long) n * size);
    } else if (size == Double.BYTES) {
      for (int j = 0; j < n; j++) {
        long at = to + 8L * j;
        double sum = ALL.get(F64_AT, at) + ALL.get(F64_AT, from + 8L * j);
        ALL.set(F64_AT, at, sum);
      }
    } else {
      for (int j = 0; j < n; j++) {
        long at = to + 4L * j;
        float sum = ALL.get(F32_AT, at) + ALL.get(F32_AT, from + 4L * j);
        ALL.set(F32_AT, at, sum);
      }
    }
  }

  private void copy(long to, long from, long bytes) {
    MemorySegment.copy(ALL, read(from, bytes), ALL, write(to, bytes), bytes);
  }

  private long read(long address, long bytes) {
    return checked ? CheckedMemory.read(address, bytes) : address;
  }

  private long write(long address, long bytes) {
    return checked ? CheckedMemory.write(address, bytes) : address;
  }
}
