package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.kernels.Sides.Tile;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Brings the parts of an operand of a tiled kernel into shared memory, through registers. Each
 * thread moves some elements; neighbouring ones move what is likely to be neighbouring in memory.
 *
 * <p>Where the first of a thread's elements lies in memory is kept in a register, and steps from
 * part to part: a part takes little time, so it matters how long one computes places. The other
 * elements are at fixed distances from the first one.
 */
final class TileFetch {
  /** A thread that moves so many elements looks at once whether all of them are there. */
  private static final int MANY = 4;

  /** An element that a thread moves: its place along the side, and along the part's depth. */
  private record Moved(Expr along, Expr deep) {}

  private final TiledKernel kernel;
  private final Scope scope;
  private final Tile tile;
  private final boolean pairs;

  /** What has been fetched of the next part. */
  private final List<Reg> next;

  /** Where the first element of each input that lies in memory is. */
  private final Map<Input, Reg> places = new LinkedHashMap<>();

  private Moved first;

  /** How many rows or columns there are from the first element's on. */
  private Expr rest;

  /** Whether no row or column of the rectangle lies beyond the edge. */
  private Expr whole;

  private Expr firstIndex;

  /**
   * @param inPairs whether neighbours along the reduction are neighbours in shared memory, so that
   *     a thread had better move two of them
   */
  TileFetch(TiledKernel kernel, Tile tile, boolean inPairs) {
    this.kernel = kernel;
    this.tile = tile;
    scope = kernel.scope;
    var prim = TiledKernel.prim(tile);
    int count = kernel.step() * kernel.side(tile) / Kernels.THREADS;
    next = IntStream.range(0, count).mapToObj(_ -> Reg.fresh("next_" + tile.name(), prim)).toList();
    pairs = inPairs && !alongDepth() && count % 2 == 0;
  }

  /** Whether neighbouring threads move what is neighbouring along the reduction. */
  private boolean alongDepth() {
    return tile.inputs().stream()
        .anyMatch(
            i ->
                scope.array(i.array()) instanceof View v
                    && Expr.isConst(kernel.strideAlongDepth(i, v), 1));
  }

  /** How many neighbouring threads move neighbouring elements. */
  private long fast() {
    return alongDepth() ? kernel.step() : kernel.side(tile);
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

  /** Fetches the first part. */
  void begin(Expr lo, Expr hi) {
    var thread = kernel.c.thread();
    var number = scope.let("slow", IndexMath.quot(thread, Expr.i64(fast())));
    var slow = pairs ? scope.let("slow", Expr.mul(number, Expr.i64(2))) : number;
    var quick = scope.let("quick", IndexMath.rem(thread, Expr.i64(fast())));
    first = alongDepth() ? new Moved(slow, quick) : new Moved(quick, slow);
    firstIndex = scope.let("place", kernel.index(tile, first.along(), first.deep()));
    var here = scope.let("here", Expr.add(corner(), first.along()));
    var side = tile.onRow() ? kernel.rows() : kernel.columns();
    rest = scope.let("rest", Expr.sub(side, here));
    var end = Expr.add(corner(), Expr.i64(kernel.side(tile)));
    whole = scope.let("whole", new Expr.Cmp(CompareOp.LE, end, side));
    var deep = scope.let("deep", Expr.add(lo, first.deep()));
    for (var i : tile.inputs()) {
      if (scope.array(i.array()) instanceof View v) {
        var reg = places.computeIfAbsent(i, _ -> Reg.index("from_" + i.array().name()));
        var at = kernel.memory(i, v, new TiledKernel.Place(here, here), deep);
        scope.add(new Code.Set(reg, at));
      }
    }
    fetch(lo, hi);
  }

  private Expr corner() {
    return tile.onRow() ? kernel.row0 : kernel.column0;
  }

  /** Fetches the part that starts there, and zeros for what lies beyond the edges. */
  void fetch(Expr start, Expr hi) {
    var checked = scope.block(() -> fetchChecked(start, hi));
    if (next.size() < MANY) {
      checked.forEach(scope::add);
    } else {
      var left = Expr.sub(hi, start);
      var deep = new Expr.Cmp(CompareOp.LE, Expr.i64(kernel.step()), left);
      var all = scope.block(() -> IntStream.range(0, next.size()).forEach(t -> move(t, start)));
      scope.add(new Code.If(Scope.and(whole, deep), all, checked));
    }
    places.forEach(
        (i, reg) -> {
          var stride = kernel.strideAlongDepth(i, (View) scope.array(i.array()));
          var step = Expr.mul(Expr.i64(kernel.step()), stride);
          scope.add(new Code.Set(reg, Expr.add(Expr.use(reg), step)));
        });
  }

  private void fetchChecked(Expr start, Expr hi) {
    var ahead = scope.let("ahead", Expr.sub(Expr.sub(hi, start), first.deep()));
    for (int k = 0; k < next.size(); k++) {
      int t = k;
      scope.add(new Code.Set(next.get(t), Expr.zero(TiledKernel.prim(tile))));
      kernel.c.when(
          Scope.and(Scope.less(Expr.i64(along(t)), rest), Scope.less(Expr.i64(deep(t)), ahead)),
          () -> move(t, start));
    }
  }

  private void move(int t, Expr start) {
    var elements =
        tile.inputs().stream().<Val>map(i -> new Val.Scalar(element(i, t, start))).toList();
    var value = kernel.scalars(tile.value(), elements).getFirst();
    scope.add(new Code.Set(next.get(t), value));
  }

  /** Reads an input's element for a moved element of the part that starts there. */
  private Expr element(Input i, int t, Expr start) {
    if (!places.containsKey(i)) {
      var along = Expr.add(corner(), Expr.add(first.along(), Expr.i64(along(t))));
      var here = scope.let("here", along);
      var deep = Expr.add(start, Expr.add(first.deep(), Expr.i64(deep(t))));
      return kernel.element(i, new TiledKernel.Place(here, here), scope.let("deep", deep));
    }
    var v = (View) scope.array(i.array());
    var side = Expr.mul(Expr.i64(along(t)), kernel.strideAlongSide(i, v, tile.onRow()));
    var depth = Expr.mul(Expr.i64(deep(t)), kernel.strideAlongDepth(i, v));
    var at = Expr.add(Expr.use(places.get(i)), Expr.add(side, depth));
    return scope.let("x", new Expr.Load(v.prim(), v.base(), at));
  }

  /** Puts what was fetched into shared memory. */
  void put(Expr buffer) {
    var base = Expr.use(kernel.tiles.get(tile));
    var from = Expr.add(kernel.first(tile, buffer), firstIndex);
    for (int t = 0; t < next.size(); t++) {
      var index = Expr.add(from, Expr.i64(kernel.distance(tile, along(t), deep(t))));
      scope.add(new Code.Store(TiledKernel.prim(tile), base, index, Expr.use(next.get(t))));
    }
  }
}
