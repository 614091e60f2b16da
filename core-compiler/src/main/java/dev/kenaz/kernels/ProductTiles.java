package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lambda;
import dev.kenaz.kernels.GpuTiling.Found;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode.MultiplyTile;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.segir.SegOp;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tiles for sums of products in f64, each of something of the row and something of the column. A
 * warp has a rectangle of points, and multiplies matrices that its lanes have together: GPUs have
 * instructions for that, which are twice as fast as those of single threads.
 *
 * <p>Which row of the rectangle is which row of such a matrix doesn't matter, as long as it is the
 * same for the sums. So a lane has two neighbouring rows, and two neighbouring columns, whose
 * elements it reads at once.
 */
final class ProductTiles extends TiledKernel {
  private static final int STEP = 8;
  private static final int WARPS_ACROSS = 4;
  private static final int WARPS_DOWN = Kernels.THREADS / Cooperation.WARP / WARPS_ACROSS;

  /**
   * Rows in shared memory are longer by so many elements, so that four of them, of which a quarter
   * of a warp reads four elements each at once, lie in different banks.
   */
  private static final int GAP = 4;

  /**
   * After each four rows there are so many elements more, so that threads that put neighbouring
   * elements along the rows of the reduction hit different banks, too.
   */
  private static final int SKEW = 2;

  /** So many parts of the rows are multiplied by one statement. */
  private static final int PARTS = 2;

  /** So many neighbouring rows, and columns, are read at once. */
  private static final int BESIDE = 2;

  /** The first row of which the lane has elements, and sums. */
  private Expr row;

  /** Where its first elements of a part of the rows lie, and those of a part of the columns. */
  private Expr rowElements;

  private Expr columnElements;

  /** The first column of which the lane has sums. */
  private Expr sumsColumn;

  ProductTiles(
      GpuTarget target,
      List<SegOp.Dim> plane,
      Found found,
      List<View> outs,
      Size size,
      Sides sides) {
    super(target, plane, found, outs, size, sides);
  }

  /** Whether it is a sum of products of a row's and a column's element. */
  static boolean suit(Sides sides, List<Reduce> reduces) {
    var onRow = new HashSet<Boolean>();
    sides.sources().forEach(s -> onRow.add(s instanceof Tile t && t.onRow()));
    return reduces.size() == 1
        && applies(BinaryOp.ADD, reduces.getFirst().op())
        && applies(BinaryOp.MUL, sides.map())
        && sides.sources().stream().allMatch(Tile.class::isInstance)
        && onRow.size() == 2;
  }

  /** Whether a function of two numbers is that operator on f64. */
  private static boolean applies(BinaryOp op, Lambda f) {
    var stms = f.body().stms();
    return f.params().size() == 2
        && stms.size() == 1
        && f.body().results().equals(stms.getFirst().pattern())
        && stms.getFirst().exp() instanceof Exp.Binary(var o, var x, var y)
        && o == op
        && Set.copyOf(f.params()).equals(Set.of(x, y))
        && f.params().stream().allMatch(p -> p.type().elemPrim() == Prim.F64);
  }

  @Override
  int step() {
    return STEP;
  }

  @Override
  int buffers() {
    return 2;
  }

  /** The length of a tile's row in shared memory. */
  private static long pitch(int side) {
    return side + GAP;
  }

  @Override
  long room(Tile o) {
    return STEP * pitch(side(o)) + STEP / MultiplyTile.STEP * SKEW;
  }

  @Override
  Expr index(Tile o, Expr along, Expr deep) {
    var skew = Expr.mul(IndexMath.quot(deep, Expr.i64(MultiplyTile.STEP)), Expr.i64(SKEW));
    return Expr.add(Expr.add(Expr.mul(deep, Expr.i64(pitch(side(o)))), skew), along);
  }

  @Override
  void begin() {
    var four = Expr.i64(MultiplyTile.STEP);
    var across = Expr.i64(WARPS_ACROSS);
    var lane = c.lane();
    var warp = c.warp();
    var group = scope.let("group", IndexMath.quot(lane, four));
    var deep = scope.let("deep", IndexMath.rem(lane, four));
    var top = Expr.mul(IndexMath.quot(warp, across), Expr.i64(height() / WARPS_DOWN));
    row = scope.let("first_row", Expr.add(top, Expr.mul(group, Expr.i64(BESIDE))));
    var left = Expr.mul(IndexMath.rem(warp, across), Expr.i64(width() / WARPS_ACROSS));
    var apart = Expr.i64(beside());
    rowElements = scope.let("on_row", Expr.add(Expr.mul(deep, Expr.i64(pitch(height()))), row));
    var column = Expr.add(left, Expr.mul(group, apart));
    columnElements =
        scope.let("on_column", Expr.add(Expr.mul(deep, Expr.i64(pitch(width()))), column));
    var twice = Expr.mul(deep, Expr.i64(2));
    sumsColumn = scope.let("sums_column", Expr.add(left, Expr.mul(twice, apart)));
  }

  /** How many matrices of the statement the warp has below each other. */
  private int high() {
    return height() / WARPS_DOWN / MultiplyTile.ROWS;
  }

  /** How many it has beside each other. */
  private int wide() {
    return width() / WARPS_ACROSS / MultiplyTile.COLUMNS;
  }

  /** How many of these share neighbouring columns. */
  private int beside() {
    return Math.min(wide(), BESIDE);
  }

  /** The first column of the j-th of the matrices beside each other. */
  private long offset(int j) {
    int n = beside();
    return j % n + (long) (j / n) * n * MultiplyTile.COLUMNS;
  }

  @Override
  List<Place> points() {
    var all = new ArrayList<Place>();
    for (int i = 0; i < high(); i++) {
      for (int j = 0; j < wide(); j++) {
        for (int e = 0; e < 4; e++) {
          long down = (long) i * MultiplyTile.ROWS + e / 2;
          long along = offset(j) + (long) (e % 2) * beside();
          all.add(new Place(Expr.add(row, Expr.i64(down)), Expr.add(sumsColumn, Expr.i64(along))));
        }
      }
    }
    return all;
  }

  @Override
  void accumulate(List<List<Reg>> sums, Expr start, Expr hi, Expr buffer) {
    var a = tile(true);
    var b = tile(false);
    var onRow = scope.let("on_row", Expr.add(first(a, buffer), rowElements));
    var onColumn = scope.let("on_column", Expr.add(first(b, buffer), columnElements));
    for (int part = 0; part < STEP / MultiplyTile.STEP; part += PARTS) {
      var left = new ArrayList<List<Expr>>();
      for (int i = 0; i < high(); i++) {
        long down = (long) i * MultiplyTile.ROWS;
        left.add(elements(a, onRow, List.of(down, down + 1), part));
      }
      var right = new ArrayList<List<Expr>>();
      for (int j = 0; j < wide(); j++) {
        right.add(elements(b, onColumn, List.of(offset(j)), part));
      }
      multiply(sums, left, right);
    }
  }

  private Tile tile(boolean onRow) {
    return tiles.keySet().stream().filter(o -> o.onRow() == onRow).findFirst().orElseThrow();
  }

  /** Reads the lane's elements at these distances from its first one, in each of the parts. */
  private List<Expr> elements(Tile o, Expr first, List<Long> offsets, int part) {
    var all = new ArrayList<Expr>();
    for (int p = part; p < part + PARTS; p++) {
      long skipped = p * (MultiplyTile.STEP * pitch(side(o)) + SKEW);
      for (long offset : offsets) {
        var at = Expr.add(first, Expr.i64(skipped + offset));
        all.add(scope.let("e", new Expr.Load(Prim.F64, Expr.use(tiles.get(o)), at)));
      }
    }
    return all;
  }

  private void multiply(List<List<Reg>> sums, List<List<Expr>> left, List<List<Expr>> right) {
    for (int i = 0; i < high(); i++) {
      for (int j = 0; j < wide(); j++) {
        int first = (i * wide() + j) * 4;
        var four = sums.subList(first, first + 4).stream().map(List::getFirst).toList();
        scope.add(new Code.Gpu(new MultiplyTile(four, left.get(i), right.get(j))));
      }
    }
  }
}
