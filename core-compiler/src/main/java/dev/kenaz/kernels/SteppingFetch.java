package dev.kenaz.kernels;

import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Scope;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps in registers where the first of the elements that a thread moves lies in memory, and steps
 * from part to part: where a step takes little time, it matters how long one computes places. The
 * other elements are at fixed distances from the first one.
 */
final class SteppingFetch extends TileFetch {
  private final ProductTiles products;
  private final boolean pairs;

  /** Where the first element of each input that lies in memory is. */
  private final Map<Input, Reg> places = new LinkedHashMap<>();

  private Moved first;

  /** How many rows or columns there are from the first element's on. */
  private Expr rest;

  /** How many elements there are along the reduction, from the part's first one on. */
  private Expr ahead;

  private Expr firstIndex;

  /**
   * @param inPairs whether neighbours along the reduction are neighbours in shared memory, so that
   *     a thread had better move two of them
   */
  SteppingFetch(ProductTiles products, Tile tile, boolean inPairs) {
    super(products, tile);
    this.products = products;
    pairs = inPairs && !alongDepth() && count() % 2 == 0;
  }

  /** How many threads lie between the elements that one thread moves. */
  private long lines() {
    return Kernels.THREADS / fast();
  }

  /** How far a moved element is from the first one, along the side. */
  private long along(int t) {
    return alongDepth() ? t * lines() : 0;
  }

  private long deep(int t) {
    return alongDepth() ? 0 : pairs ? t / 2 * 2 * lines() + t % 2 : t * lines();
  }

  @Override
  Moved place(int t) {
    return new Moved(
        Expr.add(first.along(), Expr.i64(along(t))), Expr.add(first.deep(), Expr.i64(deep(t))));
  }

  @Override
  void begin(Expr lo, Expr hi) {
    var thread = kernel.c.thread();
    var number = scope.let("slow", IndexMath.quot(thread, Expr.i64(fast())));
    var slow = pairs ? scope.let("slow", Expr.mul(number, Expr.i64(2))) : number;
    var quick = scope.let("quick", IndexMath.rem(thread, Expr.i64(fast())));
    first = alongDepth() ? new Moved(slow, quick) : new Moved(quick, slow);
    firstIndex = scope.let("place", kernel.index(tile, first.along(), first.deep()));
    var corner = tile.onRow() ? kernel.row0 : kernel.column0;
    var here = scope.let("here", Expr.add(corner, first.along()));
    rest = scope.let("rest", Expr.sub(limit(), here));
    var deep = scope.let("deep", Expr.add(lo, first.deep()));
    for (var i : tile.inputs()) {
      if (scope.array(i.array()) instanceof View v) {
        var reg = places.computeIfAbsent(i, _ -> Reg.index("from_" + i.array().name()));
        var at = kernel.memory(i, v, new TiledKernel.Place(here, here), deep);
        scope.add(new Code.Set(reg, at));
      }
    }
    super.begin(lo, hi);
  }

  @Override
  void fetch(Expr start, Expr hi) {
    ahead = scope.let("ahead", Expr.sub(Expr.sub(hi, start), first.deep()));
    super.fetch(start, hi);
    places.forEach(
        (i, reg) -> {
          var stride = kernel.strideAlongDepth(i, (View) scope.array(i.array()));
          var step = Expr.mul(Expr.i64(kernel.step()), stride);
          scope.add(new Code.Set(reg, Expr.add(Expr.use(reg), step)));
        });
  }

  @Override
  Expr inside(int t, Expr here, Expr deep, Expr hi) {
    return Scope.and(Scope.less(Expr.i64(along(t)), rest), Scope.less(Expr.i64(deep(t)), ahead));
  }

  @Override
  Expr element(Input i, int t, Expr here, Expr deep) {
    if (!places.containsKey(i)) {
      return super.element(i, t, here, deep);
    }
    var v = (View) scope.array(i.array());
    var side = Expr.mul(Expr.i64(along(t)), kernel.strideAlongSide(i, v, tile.onRow()));
    var depth = Expr.mul(Expr.i64(deep(t)), kernel.strideAlongDepth(i, v));
    var at = Expr.add(Expr.use(places.get(i)), Expr.add(side, depth));
    return scope.let("x", new Expr.Load(v.prim(), v.base(), at));
  }

  @Override
  Expr index(int t) {
    return Expr.add(firstIndex, Expr.i64(products.distance(tile, along(t), deep(t))));
  }
}
