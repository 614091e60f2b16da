package dev.kenaz.jvm;

import dev.kenaz.jvm.Magnitudes.Kind;
import dev.kenaz.jvm.ZeroEnds.Span;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import jdk.incubator.vector.DoubleVector;

/**
 * Multiplies matrices, {@link dev.kenaz.loopir.Code.MatrixProduct}, in blocks for the caches.
 *
 * <p>A block of {@code a} and a panel of {@code b}, one tile wide, are copied into the order in
 * which {@link RegisterTiles} read them where they are used often enough, or where columns of
 * {@code b} aren't adjacent; otherwise tiles read them in place. Columns that don't fill a vector
 * go through a panel padded with zeros and a tile of scratch.
 *
 * <p>Sums of squared differences, which a search for the nearest of some points needs, go the same
 * way: only what a tile adds up for an element is another function of the factors.
 *
 * <p>Rows and columns of {@code a} whose products would be subnormal are enlarged ({@link
 * Magnitudes}): rows where they are, columns in a block of their own. Columns of zeros are left out
 * where {@code b} is finite.
 */
public final class MatrixProduct {
  /** Blocks are about as deep as this. */
  private static final int BLOCK_DEPTH = 256;

  /** No block is as deep as this: a panel of two vectors still fits a first-level cache. */
  private static final int MOST_DEPTH = 384;

  /** A block of a should leave room for others in a second-level cache of 512 KB. */
  private static final int BLOCK_BYTES = 256 << 10;

  /**
   * If there are as many rows, a copy of a panel of b pays, even if its columns are adjacent: its
   * rows are far apart, and where their distance is a power of two, few of them are in the
   * first-level cache at a time.
   */
  private static final int FEW_ROWS = 16;

  /** If there are as many panels, a copy of a block of a pays, even if its columns are adjacent. */
  private static final int FEW_PANELS = 32;

  /** The same of a block whose columns are not adjacent, so that each element is in a line. */
  private static final int FEW_PANELS_APART = 2;

  /** So many tiles are short at first, because HotSpot optimises what is called often. */
  private static final int WARM_UP = 20_000;

  private static final int WARM_UP_DEPTH = 16;

  /** With fewer columns, it doesn't pay to look for tiny numbers in a. */
  private static final int FEW_COLUMNS = 16;

  /** The columns of a block of which all are multiplied. */
  private static final int[] ALL_COLUMNS = IntStream.range(0, MOST_DEPTH).toArray();

  private static final MemorySegment ALL = NativeMemory.ALL;
  private static final MatrixProduct F32 = new MatrixProduct(Prim.F32, false, false);
  private static final MatrixProduct F64 = new MatrixProduct(Prim.F64, false, false);

  /** Those of squared differences, made when they are first asked for. */
  private static final class Differences {
    static final MatrixProduct F32 = new MatrixProduct(Prim.F32, true, false);
    static final MatrixProduct F64 = new MatrixProduct(Prim.F64, true, false);
  }

  /** The products that check their accesses, likewise. */
  private static final class Checked {
    static final MatrixProduct F32 = new MatrixProduct(Prim.F32, false, true);
    static final MatrixProduct F64 = new MatrixProduct(Prim.F64, false, true);
  }

  /** Those of squared differences that check their accesses, likewise. */
  private static final class CheckedDifferences {
    static final MatrixProduct F32 = new MatrixProduct(Prim.F32, true, true);
    static final MatrixProduct F64 = new MatrixProduct(Prim.F64, true, true);
  }

  private static final ValueLayout.OfDouble F64_AT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat F32_AT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int size;
  private final int lanes;
  private final boolean differences;
  private final boolean checked;
  private final RegisterTiles.Tile tile;
  private final Magnitudes magnitudes;
  private final FiniteNumbers finite;
  private int calls;

  /**
   * @param differences whether squares of differences are summed in place of products
   * @param checked whether addresses are those of {@link CheckedMemory}
   */
  private MatrixProduct(Prim prim, boolean differences, boolean checked) {
    this.differences = differences;
    this.checked = checked;
    size = prim.byteSize();
    lanes = Vectors.lanes(size);
    tile = RegisterTiles.of(prim, differences, checked);
    magnitudes = new Magnitudes(prim);
    finite = new FiniteNumbers(size, checked);
  }

  /** Returns the columns of a tile, which are two vectors where there are few registers. */
  private int panelColumns() {
    int vectors = lanes * size >= 64 ? RegisterTiles.VECTORS : RegisterTiles.VECTORS / 2;
    return vectors * lanes;
  }

  /** Returns how many rows of a the blocks of that depth have. */
  private int blockRows(int deepest) {
    return BLOCK_BYTES / (deepest * size);
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
      return from(i, 0);
    }

    /** Returns the rows and columns from those. */
    Matrix from(long i, long j) {
      return new Matrix(at(i, j), row, column);
    }
  }

  /**
   * The elements of c that matter, as {@link dev.kenaz.loopir.Band} says: those in a row i and a
   * column j with {@code i + from <= j < i + to}.
   */
  private record Band(long from, long to) {
    /** Returns the same elements, with rows counted from that one. */
    Band from(long i) {
      return new Band(from + i, to + i);
    }

    /** Whether there are any in that part of c. */
    boolean reaches(int row, int rows, long column, int columns) {
      return column < row + rows - 1 + to && row + from < column + columns;
    }
  }

  /**
   * Multiplies for generated code.
   *
   * @param wide whether the elements are f64, or else f32
   * @param differences whether squares of differences are summed in place of products
   * @param operands address and strides in elements of c (whose columns are adjacent: the row's
   *     only), a and b; rows, columns and depth; and the bounds of the band of c that matters
   * @param add whether to add to what is in c, or to replace it
   */
  public static void run(boolean wide, boolean differences, long[] operands, boolean add) {
    if (differences) {
      (wide ? Differences.F64 : Differences.F32).run(operands, add);
    } else {
      (wide ? F64 : F32).run(operands, add);
    }
  }

  /** Multiplies likewise in checked memory. */
  static void runChecked(boolean wide, boolean differences, long[] operands, boolean add) {
    if (differences) {
      (wide ? CheckedDifferences.F64 : CheckedDifferences.F32).run(operands, add);
    } else {
      (wide ? Checked.F64 : Checked.F32).run(operands, add);
    }
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
        new Band(operands[11], operands[12]),
        add);
  }

  private void run(
      Matrix c, Matrix a, Matrix b, long rows, long columns, long depth, Band read, boolean add) {
    if (rows <= 0 || columns <= 0 || depth <= 0 && add) {
      return;
    }
    int panel = panelColumns();
    int deepest = deepest(depth);
    long panelBytes = (long) deepest * panel * size;
    long edgeBytes = (long) RegisterTiles.ROWS * panel * size;
    boolean several = rows > blockRows(deepest);
    int kept = several ? PackedPanels.count((columns + panel - 1) / panel, panelBytes) : 1;
    long bytes = BLOCK_BYTES + edgeBytes + kept * panelBytes;
    long scratch =
        checked ? CheckedMemory.allocate(bytes, "scratch") : NativeMemory.allocate(bytes);
    try {
      long edge = scratch + BLOCK_BYTES;
      var panels = new PackedPanels(edge + edgeBytes, panelBytes, kept);
      var space = new Scratch(scratch, edge, panels);
      long most = several ? (long) kept * panel : columns;
      for (long j = 0; j < columns; j += most) {
        long width = Math.min(most, columns - j);
        blocks(space, c.from(0, j), a, b.from(0, j), rows, width, depth, read.from(-j), add);
      }
    } finally {
      if (checked) {
        CheckedMemory.free(scratch);
      } else {
        NativeMemory.free(scratch, NativeMemory.capacity(bytes));
      }
    }
  }

  /** Multiplies all blocks of a with some columns of b. */
  private void blocks(
      Scratch space,
      Matrix c,
      Matrix a,
      Matrix b,
      long rows,
      long columns,
      long depth,
      Band read,
      boolean add) {
    int few = a.column == size ? FEW_PANELS : FEW_PANELS_APART;
    boolean reused = columns >= (long) few * panelColumns();
    int deepest = deepest(depth);
    int blockRows = blockRows(deepest);
    long k = 0;
    do {
      int deep = (int) Math.min(calls < WARM_UP ? WARM_UP_DEPTH : deepest, depth - k);
      space.panels.clear();
      for (long i = 0; i < rows; i += blockRows) {
        int height = (int) Math.min(blockRows, rows - i);
        var left = Left.all(a.from(i, k), height, read.from(i), deep, reused);
        divided(space, c.from(i), left, b.from(k), columns, add || k > 0);
      }
      k += deep;
    } while (k < depth);
  }

  /**
   * Divides the depth evenly: for a block that is not deep, the same tiles are read and written.
   */
  private static int deepest(long depth) {
    long blocks = depth < MOST_DEPTH ? 1 : (depth + BLOCK_DEPTH / 2) / BLOCK_DEPTH;
    return (int) Math.max((depth + blocks - 1) / blocks, 1);
  }

  /**
   * Scratch memory of a product.
   *
   * @param block the memory for a's block
   * @param edge that for a tile
   */
  private record Scratch(long block, long edge, PackedPanels panels) {}

  /**
   * What of a block of a is multiplied.
   *
   * @param rows how many rows the block has
   * @param read which elements of the product matter
   * @param tinyRows which of them are tiny; null if they are as the others
   * @param columns which columns are multiplied, in their order
   * @param depth how many columns that are
   * @param tiny whether all these columns are tiny
   * @param copied whether they are copied before
   */
  private record Left(
      Matrix a,
      int rows,
      Band read,
      boolean[] tinyRows,
      int[] columns,
      int depth,
      boolean tiny,
      boolean copied) {
    static Left all(Matrix a, int rows, Band read, int depth, boolean copied) {
      return new Left(a, rows, read, null, ALL_COLUMNS, depth, false, copied);
    }

    Left withRows(Kind[] kinds) {
      var which = new boolean[rows];
      for (int i = 0; i < rows; i++) {
        which[i] = kinds[i] == Kind.TINY;
      }
      return new Left(a, rows, read, which, columns, depth, tiny, true);
    }

    /** Takes only those columns that are of such a kind; if one is tiny, all are. */
    Left withColumns(Kind[] kinds, Set<Kind> wanted) {
      var some = IntStream.range(0, depth).filter(k -> wanted.contains(kinds[k])).toArray();
      boolean areTiny = wanted.contains(Kind.TINY);
      return new Left(a, rows, read, null, some, some.length, areTiny, true);
    }

    /** Whether the rows of b that belong to it are not those from its first one on. */
    boolean isPart() {
      return columns != ALL_COLUMNS;
    }

    boolean isTiny(int i) {
      return tinyRows == null ? tiny : tinyRows[i];
    }

    /** Returns how many rows the next tile has, which are all tiny, or none is. */
    int height(int i) {
      int same = rows - i;
      if (tinyRows != null) {
        same = 1;
        while (same < RegisterTiles.ROWS && i + same < rows && tinyRows[i + same] == tinyRows[i]) {
          same++;
        }
      }
      return same >= RegisterTiles.ROWS ? RegisterTiles.ROWS : same >= 2 ? 2 : 1;
    }
  }

  /** Multiplies a block, tiny rows or columns of a by themselves, and no columns of zeros. */
  private void divided(Scratch space, Matrix c, Left left, Matrix b, long columns, boolean add) {
    var a = left.a;
    boolean looks = !differences && columns >= FEW_COLUMNS && left.depth > 0;
    if (looks && a.column == size) {
      var kinds = kinds(left.rows, left.depth, i -> a.at(i, 0));
      boolean tiny = Arrays.asList(kinds).contains(Kind.TINY);
      block(space, c, tiny ? left.withRows(kinds) : left, b, columns, add);
      return;
    }
    boolean byColumns = looks && left.copied && a.row == size;
    var kinds = byColumns ? kinds(left.depth, left.rows, k -> a.at(0, k)) : new Kind[0];
    var set = EnumSet.noneOf(Kind.class);
    set.addAll(Arrays.asList(kinds));
    boolean zeros = set.contains(Kind.ZEROS) && isFinite(b, left.depth, columns);
    if (zeros || set.contains(Kind.TINY)) {
      set = zeros ? EnumSet.of(Kind.OTHERS) : EnumSet.complementOf(EnumSet.of(Kind.TINY));
      block(space, c, left.withColumns(kinds, set), b, columns, add);
      block(space, c, left.withColumns(kinds, EnumSet.of(Kind.TINY)), b, columns, true);
    } else {
      block(space, c, left, b, columns, add);
    }
  }

  /** Tells of which kind so many rows of {@code n} adjacent elements are. */
  private Kind[] kinds(int rows, int n, IntToLongFunction place) {
    var kinds = new Kind[rows];
    for (int i = 0; i < rows; i++) {
      kinds[i] = magnitudes.kind(read(place.applyAsLong(i), (long) n * size), n);
    }
    return kinds;
  }

  /** Whether all numbers are finite, so that products with zeros are zeros; false if it's slow. */
  private boolean isFinite(Matrix b, int rows, long columns) {
    return columns <= Integer.MAX_VALUE
        && (b.column == size
            ? finite.of(b.address, b.row, rows, (int) columns)
            : b.row == size && finite.of(b.address, b.column, (int) columns, rows));
  }

  private void block(Scratch space, Matrix c, Left left, Matrix b, long columns, boolean add) {
    if (left.depth == 0 && add) {
      return;
    }
    if (left.copied) {
      pack(space, left);
    }
    var ends = ends(space, left);
    int panel = panelColumns();
    for (long j = 0; j < columns; j += panel) {
      int width = (int) Math.min(panel, columns - j);
      if (!left.read.reaches(0, left.rows, j, width)) {
        continue;
      }
      int vectors = (width + lanes - 1) / lanes;
      var right = b.from(0, j);
      boolean ragged = width < vectors * lanes;
      boolean kept = !left.isPart() && space.panels.has(j / panel);
      if (kept || ragged || b.column != size || left.rows >= FEW_ROWS || left.isPart()) {
        long place = space.panels.place(j / panel, !left.isPart());
        var packed = new Matrix(place, (long) vectors * lanes * size, size);
        if (!kept) {
          packPanel(packed, right, left, width, vectors * lanes);
        }
        right = packed;
      }
      if (ends != null) {
        int all = vectors * lanes;
        ends.take(new ZeroEnds.Matrix(right.address, right.row, left.depth, all));
      }
      panel(space, new Matrix(c.at(0, j), c.row, size), left, j, ends, right, width, add);
    }
  }

  /** Looks for zeros that need not be multiplied; null if that doesn't pay. */
  private ZeroEnds ends(Scratch space, Left left) {
    int depth = left.depth;
    if (differences || !ZeroEnds.pays(depth) || !left.copied && left.a.column != size) {
      return null;
    }
    var block =
        left.copied
            ? new ZeroEnds.Matrix(space.block, (long) depth * size, left.rows, depth)
            : new ZeroEnds.Matrix(left.a.address, left.a.row, left.rows, depth);
    var ends = new ZeroEnds(size, checked, finite, block, depth);
    for (int i = 0; i < left.rows; ) {
      int height = left.height(i);
      var from = rows(space, left, i, height);
      ends.rows(i, from.address, from.row, from.column, height);
      i += height;
    }
    return ends;
  }

  private void panel(
      Scratch space, Matrix c, Left left, long j, ZeroEnds ends, Matrix b, int width, boolean add) {
    int vectors = (width + lanes - 1) / lanes;
    boolean ragged = width < vectors * lanes;
    long edgeRow = (long) vectors * lanes * size;
    var layout = layout(left, b, edgeRow);
    var frame = new long[] {0, 0, 0, 0, b.row, space.edge, edgeRow};
    var all = new Span(0, left.depth);
    for (int i = 0; i < left.rows; ) {
      int height = left.height(i);
      if (!left.read.reaches(i, height, j, width)) {
        i += height;
        continue;
      }
      countCall();
      var from = rows(space, left, i, height);
      var span = ends == null ? all : ends.of(i);
      frame[0] = from.at(0, span.from());
      frame[1] = from.row;
      frame[2] = from.column;
      frame[3] = b.at(span.from(), 0);
      boolean tiny = left.isTiny(i);
      if (ragged || tiny) {
        frame[5] = space.edge;
        frame[6] = edgeRow;
        tile.run(layout, height, vectors, frame, span.depth(), false);
        for (int r = 0; r < height; r++) {
          move(c.at(i + r, 0), space.edge + r * edgeRow, width, tiny, add);
        }
      } else {
        frame[5] = c.at(i, 0);
        frame[6] = c.row;
        tile.run(layout, height, vectors, frame, span.depth(), add);
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

  private RegisterTiles.Layout layout(Left left, Matrix b, long width) {
    if (b.column != size || b.row != width) {
      return RegisterTiles.Layout.ANY;
    }
    if (left.copied) {
      return RegisterTiles.Layout.PACKED;
    }
    return left.a.column == size ? RegisterTiles.Layout.ADJACENT : RegisterTiles.Layout.ANY;
  }

  /** Returns the rows of a tile. */
  private Matrix rows(Scratch space, Left left, int i, int height) {
    return left.copied ? packed(space, i, height, left.depth) : left.a.from(i);
  }

  /** Returns the copy of some rows of a block: what a tile reads next is always adjacent. */
  private Matrix packed(Scratch space, int i, int height, int depth) {
    return new Matrix(space.block + (long) i * depth * size, size, (long) height * size);
  }

  /** Copies a block, the rows of a tile after those of another. */
  private void pack(Scratch space, Left left) {
    for (int i = 0; i < left.rows; ) {
      int height = left.height(i);
      var to = packed(space, i, height, left.depth);
      join(to, left.a.from(i), height, left);
      if (left.isTiny(i)) {
        long n = (long) height * left.depth;
        magnitudes.enlarge(write(to.address, n * size), n);
      }
      i += height;
    }
  }

  /**
   * Copies those columns of so many rows that are multiplied, squares of adjacent ones in
   * registers.
   */
  private void join(Matrix to, Matrix from, int rows, Left left) {
    int i = 0;
    int whole = left.depth - left.depth % lanes;
    if (from.column == size && !left.isPart() && whole > 0 && TileCopies.turns()) {
      for (; rows - i >= lanes; i += lanes) {
        tile.turn(to.at(i, 0), to.column, from.at(i, 0), from.row, whole);
        joinRows(to.from(i, whole), from.from(i, whole), lanes, ALL_COLUMNS, left.depth - whole);
      }
    }
    joinRows(to.from(i, 0), from.from(i, 0), rows - i, left.columns, left.depth);
  }

  private void joinRows(Matrix to, Matrix from, int rows, int[] columns, int n) {
    int i = 0;
    for (; from.row == size && rows - i >= lanes; i += lanes) {
      tile.copyVectors(to.at(i, 0), to.column, from.at(i, 0), from.column, columns, n);
    }
    for (; rows - i >= RegisterTiles.ROWS; i += RegisterTiles.ROWS) {
      if (from.row == size) {
        tile.copyRows(to.at(i, 0), to.column, from.at(i, 0), from.column, columns, n);
      } else {
        tile.join(to.at(i, 0), to.column, from.at(i, 0), from.column, columns, n, from.row);
      }
    }
    for (; i < rows; i++) {
      tile.copy(to.at(i, 0), to.column, from.at(i, 0), from.column, columns, n);
    }
  }

  /** Copies a panel so that its rows become contiguous, with zeros after the last column. */
  private void packPanel(Matrix to, Matrix from, Left left, int width, int padded) {
    if (width < padded) {
      // A whole vector is stored sooner than the few zeros at its end.
      int vector = lanes * size;
      var zeros = DoubleVector.zero(Vectors.F64);
      for (int k = 0; k < left.depth; k++) {
        long at = write(to.at(k, padded - lanes), vector);
        zeros.intoMemorySegment(ALL, at, Vectors.ORDER);
      }
    }
    join(to.transposed(), from.transposed(), width, left);
  }

  /** Moves elements at edges; these are so few that plain access is fast enough. */
  private void move(long toAddress, long fromAddress, int n, boolean tiny, boolean add) {
    long to = write(toAddress, (long) n * size);
    long from = read(fromAddress, (long) n * size);
    if (tiny) {
      magnitudes.reduce(to, from, n, add);
    } else if (!add) {
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
