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
  private static final int BLOCK_DEPTH = 256;

  /** A block of a should leave room for others in a second-level cache of 512 KB. */
  private static final int BLOCK_BYTES = 256 << 10;

  /**
   * If there are as many rows, a copy of a panel of b pays, even if its columns are adjacent: its
   * rows are far apart, and where their distance is a power of two, few of them are in the
   * first-level cache at a time.
   */
  private static final int FEW_ROWS = 16;

  /** If there are as many panels, a copy of a block of a pays, even if its columns are adjacent. */
  private static final int FEW_PANELS = 8;

  /** The same of a block whose columns are not adjacent, so that each element is in a line. */
  private static final int FEW_PANELS_APART = 2;

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

    Matrix transposed() {
      return new Matrix(address, column, row);
    }

    /** Returns the rows from that one. */
    Matrix from(long i) {
      return new Matrix(at(i, 0), row, column);
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
    int few = a.column == size ? FEW_PANELS : FEW_PANELS_APART;
    boolean reused = columns >= (long) few * panel;
    int blockRows = BLOCK_BYTES / (BLOCK_DEPTH * size);
    long blockBytes = reused ? BLOCK_BYTES : 0;
    long panelBytes = (long) BLOCK_DEPTH * panel * size;
    long edgeBytes = (long) RegisterTiles.ROWS * panel * size;
    long bytes = blockBytes + panelBytes + edgeBytes;
    long scratch =
        checked ? CheckedMemory.allocate(bytes, "scratch") : NativeMemory.allocate(bytes);
    try {
      var space =
          new Scratch(blockBytes == 0 ? 0 : scratch + panelBytes + edgeBytes, scratch, panelBytes);
      for (long i = 0; i < rows; i += blockRows) {
        int height = (int) Math.min(blockRows, rows - i);
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
    if (space.block != 0) {
      pack(space, a, rows, depth);
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
      panel(space, target, a, right, rows, width, vectors, depth, add);
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
    var layout = layout(space, a, b, edgeRow);
    var frame = new long[] {0, 0, 0, b.address, b.row, space.edge(), edgeRow};
    for (int i = 0; i < rows; ) {
      int height = height(rows - i);
      countCall();
      var left = space.block == 0 ? a.from(i) : packed(space, i, height, depth);
      frame[0] = left.address;
      frame[1] = left.row;
      frame[2] = left.column;
      if (ragged) {
        tile.run(layout, height, vectors, frame, depth, false);
        for (int r = 0; r < height; r++) {
          move(c.at(i + r, 0), space.edge() + r * edgeRow, width, add);
        }
      } else {
        frame[5] = c.at(i, 0);
        frame[6] = c.row;
        tile.run(layout, height, vectors, frame, depth, add);
      }
      i += height;
    }
  }

  /**
   * Counts while it matters. Later, threads would take the line of the counter from each other's
   * caches at each tile.
   */
  private void countCall() {
    if (calls < WARM_UP) {
      calls++;
    }
  }

  private RegisterTiles.Layout layout(Scratch space, Matrix a, Matrix b, long width) {
    if (b.column != size || b.row != width) {
      return RegisterTiles.Layout.ANY;
    }
    if (space.block != 0) {
      return RegisterTiles.Layout.PACKED;
    }
    return a.column == size ? RegisterTiles.Layout.ADJACENT : RegisterTiles.Layout.ANY;
  }

  /** Returns how many of so many rows the next tile has. */
  private static int height(int rows) {
    return rows >= RegisterTiles.ROWS ? RegisterTiles.ROWS : rows >= 2 ? 2 : 1;
  }

  /** Returns the copy of some rows of a block: what a tile reads next is always adjacent. */
  private Matrix packed(Scratch space, int i, int height, int depth) {
    return new Matrix(space.block + (long) i * depth * size, size, (long) height * size);
  }

  /** Copies a block, the rows of a tile after those of another. */
  private void pack(Scratch space, Matrix from, int rows, int depth) {
    for (int i = 0; i < rows; ) {
      int height = height(rows - i);
      join(packed(space, i, height, depth), from.from(i), height, depth);
      i += height;
    }
  }

  /** Copies {@code n} columns of so many rows. */
  private void join(Matrix to, Matrix from, int rows, int n) {
    int i = 0;
    for (; from.row == size && rows - i >= lanes; i += lanes) {
      tile.copyVectors(to.at(i, 0), to.column, from.at(i, 0), from.column, n);
    }
    for (; rows - i >= RegisterTiles.ROWS; i += RegisterTiles.ROWS) {
      tile.join(to.at(i, 0), to.column, from.at(i, 0), from.column, n, from.row);
    }
    for (; i < rows; i++) {
      tile.copy(to.at(i, 0), to.column, from.at(i, 0), from.column, n);
    }
  }

  /** Copies a panel so that its rows become contiguous, with zeros after the last column. */
  private void packPanel(Matrix to, Matrix from, int depth, int width, int padded) {
    join(to.transposed(), from.transposed(), width, depth);
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

  private long read(long address, long bytes) {
    return checked ? CheckedMemory.read(address, bytes) : address;
  }

  private long write(long address, long bytes) {
    return checked ? CheckedMemory.write(address, bytes) : address;
  }
}
