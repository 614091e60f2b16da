package dev.kenaz.kernels;

import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lists;
import dev.kenaz.kernels.GpuTiling.Found;
import dev.kenaz.kernels.GpuTiling.Input;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegOp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Computes a map over a plane of reductions by tiles: a block computes a square of 64 by 64 points,
 * each thread a grid of 4 by 4 of them in registers; or, where there are too few such squares to
 * keep a device busy, squares of half the side. The parts of the rows that the square needs come
 * through shared memory, {@value #DEPTH} elements of each at a time, so that an element is read
 * from device memory once for each square, not for each point.
 */
final class TiledKernel {
  private static final int THREADS_SIDE = 16;
  private static final int DEPTH = 16;

  /** The sizes of squares, and how many of them are worth it. */
  enum Size {
    LARGE(4, 64),
    SMALL(2, 16);

    /** A thread has so many points, down and across. */
    private final int side;

    private final long squares;

    Size(int side, long squares) {
      this.side = side;
      this.squares = squares;
    }
  }

  private static final int MOST_OPERANDS = 4;

  /** A reduction of this many elements costs more than writing and reading its result. */
  private static final long MUCH = 32;

  /** The results of at most this many points are kept. */
  private static final long MOST_KEPT = 1L << 26;

  private static final long SHARED_BYTES = 40L << 10;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;
  private final List<SegOp.Dim> plane;
  private final Found found;
  private final List<View> outs;
  private final Monoid monoid;
  private final Cooperation c;
  private final List<Expr> dims;
  private final Size size;
  private final int side;
  private final int tile;

  /** The length of a tile's row in shared memory, with a gap against conflicts between banks. */
  private final int pitch;

  private final Map<Input, Reg> tiles = new LinkedHashMap<>();
  private Expr row0;
  private Expr column0;
  private List<Expr> batch;
  private Expr x;
  private Expr y;

  TiledKernel(GpuTarget target, List<SegOp.Dim> plane, Found found, List<View> outs, Size size) {
    this.target = target;
    this.size = size;
    side = size.side;
    tile = side * THREADS_SIDE;
    pitch = tile + 1;
    scope = target.scope;
    arrays = target.arrays;
    this.found = found;
    this.outs = outs;
    var ops = found.reduces().stream().map(Reduce::op).toList();
    var neutral = found.reduces().stream().flatMap(r -> r.neutral().stream()).toList();
    monoid = Monoid.of(target.lowering, ops, neutral);
    c = new Cooperation(scope, monoid);
    this.plane = plane;
    dims = scope.scalars(plane.stream().map(SegOp.Dim::width).toList());
  }

  private static boolean tiled(Input i) {
    return i.onRow() != i.onColumn();
  }

  /** Whether there may be enough to do, and the operator may safely be applied beyond the edges. */
  boolean fits() {
    if (monoid.prims().size() > MOST_OPERANDS
        || atMost(rows(), tile / 2)
        || atMost(columns(), tile / 2)
        || atMost(scope.scalar(found.width()), DEPTH / 2)) {
      return false;
    }
    long bytes = 0;
    for (var i : found.inputs()) {
      bytes += tiled(i) ? (long) DEPTH * pitch * i.array().type().elemPrim().byteSize() : 0;
    }
    var code =
        scope.block(
            () -> {
              List<Expr> elements =
                  found.map().params().stream()
                      .<Expr>map(p -> Expr.use(Reg.fresh(p.name(), p.type().elemPrim())))
                      .toList();
              monoid.combine(Cooperation.uses(c.neutral("sum")), mapped(elements));
            });
    var unsafe = new boolean[1];
    CodeWalk.code(
        code,
        s -> unsafe[0] |= !(s instanceof Code.Set || s instanceof Code.If || s instanceof Code.For),
        e -> unsafe[0] |= e instanceof Expr.Load);
    return bytes <= SHARED_BYTES && !unsafe[0];
  }

  /** Whether a size is known to be so small that tiles are never worth it. */
  private static boolean atMost(Expr size, long limit) {
    return size instanceof Expr.Lit n && n.value().bits() <= limit;
  }

  private Expr rows() {
    return dims.get(dims.size() - 2);
  }

  private Expr columns() {
    return dims.getLast();
  }

  private Expr squares() {
    var across = IndexMath.ceil(columns(), Expr.i64(tile));
    var down = IndexMath.ceil(rows(), Expr.i64(tile));
    return Expr.mul(ArrayVal.count(dims.subList(0, dims.size() - 2)), Expr.mul(down, across));
  }

  /** Whether there is enough to do for this to be better than a thread for each point. */
  Expr worth() {
    var enough = new Expr.Cmp(CompareOp.LE, Expr.i64(size.squares), squares());
    var wide = Scope.less(Expr.i64(tile / 2), IndexMath.min(rows(), columns()));
    var deep = Scope.less(Expr.i64(DEPTH / 2), scope.scalar(found.width()));
    return Scope.and(enough, Scope.and(wide, deep));
  }

  /**
   * Whether the operator is worth a kernel of its own, whose results another one reads: it does
   * much for each of them, and there is room for them.
   */
  Expr worthKeeping() {
    var much = new Expr.Cmp(CompareOp.LE, Expr.i64(MUCH), scope.scalar(found.width()));
    var room = Scope.less(ArrayVal.count(dims), Expr.i64(MOST_KEPT));
    return Scope.and(worth(), Scope.and(much, room));
  }

  void launch() {
    var span = target.span();
    var blocks = scope.let("squares", squares());
    var code = scope.task(this::block);
    var draft = new Kernels.Draft("map tiled", span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(Kernels.THREADS), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  private void block() {
    var across = scope.let("across", IndexMath.ceil(columns(), Expr.i64(tile)));
    var down = scope.let("down", IndexMath.ceil(rows(), Expr.i64(tile)));
    var number = Expr.use(c.grid.block());
    var line = scope.let("line", IndexMath.quot(number, across));
    column0 =
        scope.let("column0", Expr.mul(Expr.sub(number, Expr.mul(line, across)), Expr.i64(tile)));
    var outer = scope.let("batch", IndexMath.quot(line, down));
    row0 = scope.let("row0", Expr.mul(Expr.sub(line, Expr.mul(outer, down)), Expr.i64(tile)));
    var outerDims = dims.subList(0, dims.size() - 2);
    batch = outerDims.isEmpty() ? List.of() : arrays.unflatten(outerDims, outer);
    x = scope.let("x", IndexMath.rem(c.thread(), Expr.i64(THREADS_SIDE)));
    y = scope.let("y", IndexMath.quot(c.thread(), Expr.i64(THREADS_SIDE)));
    for (var i : found.inputs()) {
      if (tiled(i) && !tiles.containsKey(i)) {
        var prim = i.array().type().elemPrim();
        tiles.put(i, c.sharedArray(i.array().name() + "_tile", prim, (long) DEPTH * pitch));
      }
    }
    List<List<Reg>> sums = IntStream.range(0, side * side).mapToObj(k -> c.neutral("sum")).toList();
    var depth = scope.scalar(found.width());
    scope.whileLess(
        "start",
        Expr.i64(0),
        depth,
        start -> Expr.add(start, Expr.i64(DEPTH)),
        start -> {
          tiles.forEach((i, reg) -> load(i, reg, start, depth));
          c.barrier();
          var left = scope.let("left", Expr.sub(depth, start));
          var whole = scope.block(() -> steps(sums, Expr.i64(DEPTH), start));
          var last = scope.block(() -> steps(sums, left, start));
          var all = new Expr.Cmp(CompareOp.LE, Expr.i64(DEPTH), left);
          scope.add(new Code.If(all, whole, last));
          c.barrier();
        });
    each((r, q) -> write(sums.get(r * side + q), row(r), column(q)));
  }

  /** Takes the steps; with a constant number of them, the compiler unrolls the loop. */
  private void steps(List<List<Reg>> sums, Expr count, Expr start) {
    scope.forSequence("k", count, k -> accumulate(sums, k, start));
  }

  private interface Place {
    void accept(int r, int q);
  }

  private void each(Place place) {
    for (int r = 0; r < side; r++) {
      for (int q = 0; q < side; q++) {
        place.accept(r, q);
      }
    }
  }

  /**
   * The row of a thread's point within the square: neighbouring threads have neighbouring columns.
   */
  private Expr down(int r) {
    return Expr.add(y, Expr.i64((long) r * THREADS_SIDE));
  }

  private Expr along(int q) {
    return Expr.add(x, Expr.i64((long) q * THREADS_SIDE));
  }

  private Expr row(int r) {
    return scope.let("row", Expr.add(row0, down(r)));
  }

  private Expr column(int q) {
    return scope.let("column", Expr.add(column0, along(q)));
  }

  private List<Expr> point(Expr row, Expr column) {
    return Lists.concat(batch, List.of(row, column));
  }

  /** Returns the element of an input at a point of the plane. */
  private Expr element(Input i, Expr row, Expr column, Expr k) {
    target.bind(plane, point(row, column));
    scope.bind(found.k(), new Val.Scalar(k));
    var indices = scope.scalars(i.indices());
    return ((Val.Scalar) arrays.index(scope.array(i.array()), indices)).expr();
  }

  /**
   * Lets all threads fetch a tile; neighbouring ones fetch what is likely to be neighbouring in
   * memory.
   */
  private void load(Input i, Reg into, Expr start, Expr depth) {
    var prim = i.array().type().elemPrim();
    boolean alongDepth =
        scope.array(i.array()) instanceof View v
            && i.indices().contains(found.k())
            && Expr.isConst(v.strides().get(i.indices().indexOf(found.k())), 1);
    var limit = i.onRow() ? rows() : columns();
    var first = i.onRow() ? row0 : column0;
    strided(
        at -> {
          var fast = alongDepth ? DEPTH : tile;
          var slow = scope.let("slow", IndexMath.quot(at, Expr.i64(fast)));
          var quick = scope.let("quick", Expr.sub(at, Expr.mul(slow, Expr.i64(fast))));
          var k = alongDepth ? quick : slow;
          var p = alongDepth ? slow : quick;
          var here = scope.let("here", Expr.add(first, p));
          var deep = scope.let("deep", Expr.add(start, k));
          var value = Reg.fresh("value", prim);
          scope.add(new Code.Set(value, Expr.zero(prim)));
          c.when(
              Scope.and(Scope.less(here, limit), Scope.less(deep, depth)),
              () -> scope.add(new Code.Set(value, element(i, here, here, deep))));
          var place = Expr.add(Expr.mul(k, Expr.i64(pitch)), p);
          scope.add(new Code.Store(prim, Expr.use(into), place, Expr.use(value)));
        });
  }

  private void strided(Consumer<Expr> body) {
    long rounds = (long) DEPTH * tile / Kernels.THREADS;
    scope.forSequence(
        "t",
        Expr.i64(rounds),
        t -> {
          var at = Expr.add(Expr.mul(t, Expr.i64(Kernels.THREADS)), c.thread());
          body.accept(scope.let("at", at));
        });
  }

  /** Takes one step along the rows for all points of the thread. */
  private void accumulate(List<List<Reg>> sums, Expr k, Expr start) {
    var base = scope.let("base", Expr.mul(k, Expr.i64(pitch)));
    Map<Input, List<Expr>> parts = new LinkedHashMap<>();
    tiles.forEach(
        (i, reg) -> {
          var mine = new ArrayList<Expr>();
          for (int n = 0; n < side; n++) {
            var p = i.onRow() ? down(n) : along(n);
            var prim = i.array().type().elemPrim();
            mine.add(scope.let("e", new Expr.Load(prim, Expr.use(reg), Expr.add(base, p))));
          }
          parts.put(i, mine);
        });
    var deep = scope.let("deep", Expr.add(start, k));
    each(
        (r, q) -> {
          List<Expr> elements =
              found.inputs().stream()
                  .map(i -> tiled(i) ? parts.get(i).get(i.onRow() ? r : q) : direct(i, r, q, deep))
                  .toList();
          c.accumulate(sums.get(r * side + q), mapped(elements));
        });
  }

  /** Reads what depends on both coordinates, or none, where it is needed. */
  private Expr direct(Input i, int r, int q, Expr deep) {
    var last = Expr.i64(1);
    var row = scope.let("row", IndexMath.min(row(r), Expr.sub(rows(), last)));
    var column = scope.let("column", IndexMath.min(column(q), Expr.sub(columns(), last)));
    return element(i, row, column, deep);
  }

  private List<Expr> mapped(List<Expr> elements) {
    var arguments = elements.stream().<Val>map(Val.Scalar::new).toList();
    return target.lowering.call(found.map(), arguments).stream()
        .map(v -> ((Val.Scalar) v).expr())
        .toList();
  }

  /** Runs the rest of the body on the sums. */
  private void write(List<Reg> sums, Expr row, Expr column) {
    c.when(
        Scope.and(Scope.less(row, rows()), Scope.less(column, columns())),
        () -> {
          var body =
              scope.block(
                  () -> {
                    var at = point(row, column);
                    target.bind(plane, at);
                    for (int k = 0; k < sums.size(); k++) {
                      var value = new Val.Scalar(Expr.use(sums.get(k)));
                      scope.bind(found.results().get(k), value);
                    }
                    var vals = target.lowering.body(found.rest());
                    for (int k = 0; k < vals.size(); k++) {
                      arrays.write(outs.get(k), at, vals.get(k));
                    }
                  });
          scope.add(new Code.Gpu(new GpuCode.Attempt(body)));
        });
  }
}
