package dev.kenaz.kernels;

import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Brings the parts of an operand of a tiled kernel into shared memory, through registers. Each
 * thread moves some elements; neighbouring ones move what is likely to be neighbouring in memory.
 */
class TileFetch {
  /** An element that a thread moves: its place along the side, and along the part's depth. */
  record Moved(Expr along, Expr deep) {}

  final TiledKernel kernel;
  final Scope scope;
  final Tile tile;

  /** What has been fetched of the next part. */
  private final List<Reg> next;

  TileFetch(TiledKernel kernel, Tile tile) {
    this.kernel = kernel;
    this.tile = tile;
    scope = kernel.scope;
    var prim = TiledKernel.prim(tile);
    int count = kernel.step() * kernel.side(tile) / Kernels.THREADS;
    next = IntStream.range(0, count).mapToObj(_ -> Reg.fresh("next_" + tile.name(), prim)).toList();
  }

  /** How many elements of a part a thread moves. */
  int count() {
    return next.size();
  }

  /** Whether neighbouring threads move what is neighbouring along the reduction. */
  boolean alongDepth() {
    return tile.inputs().stream()
        .anyMatch(
            i ->
                scope.array(i.array()) instanceof View v
                    && Expr.isConst(kernel.strideAlongDepth(i, v), 1));
  }

  /** How many neighbouring threads move neighbouring elements. */
  long fast() {
    return alongDepth() ? kernel.step() : kernel.side(tile);
  }

  Moved place(int t) {
    var at = scope.let("at", Expr.add(kernel.c.thread(), Expr.i64((long) t * Kernels.THREADS)));
    var slow = scope.let("slow", IndexMath.quot(at, Expr.i64(fast())));
    var quick = scope.let("quick", Expr.sub(at, Expr.mul(slow, Expr.i64(fast()))));
    return alongDepth() ? new Moved(slow, quick) : new Moved(quick, slow);
  }

  /** Fetches the first part. */
  void begin(Expr lo, Expr hi) {
    fetch(lo, hi);
  }

  /** Fetches the part that starts there, and zeros for what lies beyond the edges. */
  void fetch(Expr start, Expr hi) {
    var corner = tile.onRow() ? kernel.row0 : kernel.column0;
    for (int k = 0; k < next.size(); k++) {
      int t = k;
      var place = place(t);
      var here = scope.let("here", Expr.add(corner, place.along));
      var deep = scope.let("deep", Expr.add(start, place.deep));
      scope.add(new Code.Set(next.get(t), Expr.zero(TiledKernel.prim(tile))));
      kernel.c.when(
          inside(t, here, deep, hi),
          () -> {
            var elements =
                tile.inputs().stream()
                    .<Val>map(i -> new Val.Scalar(element(i, t, here, deep)))
                    .toList();
            var value = kernel.scalars(tile.value(), elements).getFirst();
            scope.add(new Code.Set(next.get(t), value));
          });
    }
  }

  /** How many rows or columns there are. */
  Expr limit() {
    return tile.onRow() ? kernel.rows() : kernel.columns();
  }

  /** Whether a moved element, of that row or column, is one of the operand's. */
  Expr inside(int t, Expr here, Expr deep, Expr hi) {
    return Scope.and(Scope.less(here, limit()), Scope.less(deep, hi));
  }

  /**
   * Reads an element of an input.
   *
   * @param t the number of the moved element
   * @param here its row or column
   */
  Expr element(Input i, int t, Expr here, Expr deep) {
    return kernel.element(i, new TiledKernel.Place(here, here), deep);
  }

  /** Where a moved element lies in its part in shared memory. */
  Expr index(int t) {
    var place = place(t);
    return kernel.index(tile, place.along, place.deep);
  }

  /** Puts what was fetched into shared memory. */
  void put(Expr buffer) {
    var base = Expr.use(kernel.tiles.get(tile));
    for (int t = 0; t < next.size(); t++) {
      var index = Expr.add(kernel.first(tile, buffer), index(t));
      scope.add(new Code.Store(TiledKernel.prim(tile), base, index, Expr.use(next.get(t))));
    }
  }
}
