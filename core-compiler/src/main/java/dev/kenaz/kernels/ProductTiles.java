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

/**
 * Tiles for sums of products in f64, each of something of the row and something of the column. A
 * warp has a rectangle of points, and multiplies matrices that its lanes have together: GPUs have
 * instructions for that, which are twice as fast as those of single threads.
 *
 * <p>Which row of the rectangle is which row of such a matrix doesn't matter, as long as it is the
 * same for the sums; nor does the order along the reduction, as long as it is the same for rows and
 * columns. So a lane has two neighbouring rows, and of each eight elements along the reduction two
 * neighbouring ones: it reads two elements at once, and they come into the registers in which the
 * instruction wants them.
 */
final class ProductTiles extends TiledKernel {
  private static final int WARPS_ACROSS = 4;
  private static final int WARPS_DOWN = Kernels.THREADS / Cooperation.WARP / WARPS_ACROSS;

  /** So many elements along the reduction are multiplied by one statement. */
  private static final int EIGHT = 2 * MultiplyTile.STEP;

  /**
   * Rows in shared memory are longer by so many elements, so that what a quarter of a warp reads at
   * once from every second one lies in different banks.
   */
  private static final int GAP = 2;

  /** How many elements of a row come into shared memory at a time. */
  private final int step;

  /** The first row of which the lane has elements, and sums. */
  private Expr row;

  /** Where its first elements of a part of the rows lie, and those of a part of the columns. */
  private Expr rowElements;

  private Expr columnElements;

  /** The first column of which the lane has sums. */
  private Expr column;

  ProductTiles(
      GpuTarget target,
      List<SegOp.Dim> plane,
      Found found,
      List<View> outs,
      Size size,
      Sides sides) {
    super(target, plane, found, outs, size, sides);
    // Larger rectangles leave no registers for more.
    step = size == Size.SMALL ? 2 * EIGHT : EIGHT;
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
        && !x.equals(y)
        && f.params().containsAll(List.of(x, y))
        && f.params().stream().allMatch(p -> p.type().elemPrim() == Prim.F64);
  }

  @Override
  int step() {
    return step;
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
    return step * pitch(side(o));
  }

  /** The elements of columns lie in pairs along the reduction. */
  @Override
  Expr index(Tile o, Expr along, Expr deep) {
    var pitch = Expr.i64(pitch(side(o)));
    if (o.onRow()) {
      return Expr.add(Expr.mul(deep, pitch), along);
    }
    var two = Expr.i64(2);
    var pairs = IndexMath.quot(deep, two);
    var place = Expr.add(Expr.mul(pairs, pitch), along);
    return Expr.add(Expr.mul(place, two), IndexMath.rem(deep, two));
  }

  @Override
  long distance(Tile o, long along, long deep) {
    long pitch = pitch(side(o));
    return o.onRow() ? deep * pitch + along : (deep / 2 * pitch + along) * 2 + deep % 2;
  }

  @Override
  TileFetch fetch(Tile o) {
    return new TileFetch(this, o, !o.onRow());
  }

  @Override
  void begin() {
    var four = Expr.i64(MultiplyTile.STEP);
    var two = Expr.i64(2);
    var across = Expr.i64(WARPS_ACROSS);
    var lane = c.lane();
    var warp = c.warp();
    var group = scope.let("group", IndexMath.quot(lane, four));
    var twice = scope.let("twice", Expr.mul(IndexMath.rem(lane, four), two));
    var top = Expr.mul(IndexMath.quot(warp, across), Expr.i64(height() / WARPS_DOWN));
    var left = Expr.mul(IndexMath.rem(warp, across), Expr.i64(width() / WARPS_ACROSS));
    row = scope.let("first_row", Expr.add(top, Expr.mul(group, two)));
    column = scope.let("first_column", Expr.add(left, twice));
    rowElements = scope.let("on_row", Expr.add(Expr.mul(twice, Expr.i64(pitch(height()))), row));
    var pairs = Expr.mul(twice, Expr.i64(pitch(width())));
    columnElements = scope.let("on_column", Expr.add(pairs, Expr.mul(Expr.add(left, group), two)));
  }

  /** How many matrices of the statement the warp has below each other. */
  private int high() {
    return height() / WARPS_DOWN / MultiplyTile.ROWS;
  }

  /** How many it has beside each other. */
  private int wide() {
    return width() / WARPS_ACROSS / MultiplyTile.COLUMNS;
  }

  @Override
  List<Place> points() {
    var all = new ArrayList<Place>();
    for (int i = 0; i < high(); i++) {
      for (int j = 0; j < wide(); j++) {
        for (int e = 0; e < 4; e++) {
          long down = (long) i * MultiplyTile.ROWS + e / 2;
          long along = (long) j * MultiplyTile.COLUMNS + e % 2;
          all.add(new Place(Expr.add(row, Expr.i64(down)), Expr.add(column, Expr.i64(along))));
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
    for (int from = 0; from < step; from += EIGHT) {
      var left = new ArrayList<List<Expr>>();
      for (int i = 0; i < high(); i++) {
        long down = (long) i * MultiplyTile.ROWS;
        long next = pitch(height());
        var distances = List.of(down, down + 1, next + down, next + down + 1);
        left.add(elements(a, onRow, from, distances));
      }
      var right = new ArrayList<List<Expr>>();
      for (int j = 0; j < wide(); j++) {
        long along = 2L * j * MultiplyTile.COLUMNS;
        right.add(elements(b, onColumn, from, List.of(along, along + 1)));
      }
      multiply(sums, left, right);
    }
  }

  private Tile tile(boolean onRow) {
    return tiles.keySet().stream().filter(o -> o.onRow() == onRow).findFirst().orElseThrow();
  }

  /**
   * Reads elements of the lane.
   *
   * @param first where the first one is
   * @param from how many elements along the reduction are skipped
   * @param distances from the first one
   */
  private List<Expr> elements(Tile o, Expr first, int from, List<Long> distances) {
    var all = new ArrayList<Expr>();
    for (long distance : distances) {
      var at = Expr.add(first, Expr.i64(from * pitch(side(o)) + distance));
      all.add(scope.let("e", new Expr.Load(Prim.F64, Expr.use(tiles.get(o)), at)));
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
