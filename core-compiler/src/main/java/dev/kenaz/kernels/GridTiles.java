package dev.kenaz.kernels;

import dev.kenaz.kernels.GpuTiling.Found;
import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegOp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Tiles of which each thread has a grid of points, for any operator. The threads of a warp have the
 * same rows and neighbouring columns. So each reads several elements of its rows at once, which are
 * the same for the whole warp, and one element of each of its columns.
 */
final class GridTiles extends TiledKernel {
  private static final int STEP = 16;

  /** Wide loads from shared memory have this many bytes. */
  private static final int WORD = 16;

  /** Whether a part may be taken as a whole where it has fewer elements: the others are zeros. */
  private final boolean whole;

  private Expr x;
  private Expr y;

  GridTiles(
      GpuTarget target,
      List<SegOp.Dim> plane,
      Found found,
      List<View> outs,
      Size size,
      Sides sides) {
    super(target, plane, found, outs, size, sides);
    whole = sides.addZeros(found.reduces());
  }

  @Override
  int step() {
    return STEP;
  }

  @Override
  int buffers() {
    return 1;
  }

  /**
   * The length of a tile's row in shared memory: with a gap against conflicts between banks that
   * leaves wide loads aligned.
   */
  private long pitch(Tile o) {
    return side(o) + WORD / prim(o).byteSize();
  }

  @Override
  long room(Tile o) {
    return STEP * pitch(o);
  }

  @Override
  Expr index(Tile o, Expr along, Expr deep) {
    return Expr.add(Expr.mul(deep, Expr.i64(pitch(o))), along);
  }

  @Override
  long distance(Tile o, long along, long deep) {
    return deep * pitch(o) + along;
  }

  @Override
  TileFetch fetch(Tile o) {
    return new TileFetch(this, o, false);
  }

  @Override
  void begin() {
    x = c.lane();
    y = c.warp();
  }

  private Expr down(int r) {
    return Expr.add(Expr.mul(y, Expr.i64(down)), Expr.i64(r));
  }

  private Expr along(int q) {
    return Expr.add(x, Expr.i64((long) q * Cooperation.WARP));
  }

  @Override
  List<Place> points() {
    return IntStream.range(0, down * across)
        .mapToObj(p -> new Place(down(p / across), along(p % across)))
        .toList();
  }

  @Override
  void accumulate(List<List<Reg>> sums, Expr start, Expr hi, Expr buffer) {
    var step = Expr.i64(STEP);
    var count = whole ? step : scope.let("count", IndexMath.min(step, Expr.sub(hi, start)));
    scope.forSequence("k", count, k -> accumulate(sums, k, start));
  }

  /** Takes one step along the rows for all points of the thread. */
  private void accumulate(List<List<Reg>> sums, Expr k, Expr start) {
    Map<Tile, List<Val>> parts = new LinkedHashMap<>();
    tiles.forEach(
        (o, reg) -> {
          var base = scope.let("base", index(o, Expr.i64(0), k));
          var mine = new ArrayList<Val>();
          for (int n = 0; n < (o.onRow() ? down : across); n++) {
            var at = Expr.add(base, o.onRow() ? down(n) : along(n));
            mine.add(new Val.Scalar(scope.let("e", new Expr.Load(prim(o), Expr.use(reg), at))));
          }
          parts.put(o, mine);
        });
    var deep = scope.let("deep", Expr.add(start, k));
    for (int p = 0; p < down * across; p++) {
      int r = p / across;
      int q = p % across;
      List<Val> elements =
          sides.sources().stream()
              .map(
                  source ->
                      switch (source) {
                        case Tile o -> parts.get(o).get(o.onRow() ? r : q);
                        case Sides.Direct(var input) -> new Val.Scalar(direct(input, r, q, deep));
                      })
              .toList();
      c.accumulate(sums.get(p), scalars(sides.map(), elements));
    }
  }

  /** Reads what depends on both coordinates, or none, where it is needed. */
  private Expr direct(Input i, int r, int q, Expr deep) {
    var last = Expr.i64(1);
    var at = inPlane(new Place(down(r), along(q)));
    var row = scope.let("row", IndexMath.min(at.row(), Expr.sub(rows(), last)));
    var column = scope.let("column", IndexMath.min(at.column(), Expr.sub(columns(), last)));
    return element(i, new Place(row, column), deep);
  }
}
