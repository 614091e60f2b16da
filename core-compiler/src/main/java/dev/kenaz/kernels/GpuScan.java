package dev.kenaz.kernels;

import dev.kenaz.flatten.SegOp.SegScan;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Code;
import dev.kenaz.loops.Expr;
import dev.kenaz.loops.GpuCode;
import dev.kenaz.loops.Reg;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Scans of scalars in one pass, with decoupled look-back (Merrill and Garland, 2016).
 *
 * <p>A block takes the next tile of elements, in order of arrival, so that whatever it waits for is
 * under way. It scans its tile in shared memory and publishes the tile's total; looks back over the
 * tiles before, adding their totals up to one that has published the total of everything up to it;
 * publishes its own, and adds what is before to its elements. Segments are scanned together, as one
 * array, by the operator that starts afresh where a segment begins.
 */
final class GpuScan {
  /** Bytes of a tile in shared memory. */
  private static final long TILE_BYTES = 32L << 10;

  private static final long LEAST_THREADS = 64;
  private static final long MOST_ITEMS = 9;
  private static final long TOTAL = 1;
  private static final long PREFIX = 2;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;

  GpuScan(GpuTarget target) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
  }

  /** What the host has set up for all tiles. */
  private record Tiles(
      Expr count,
      Expr tiles,
      View counter,
      View status,
      List<View> totals,
      List<View> prefixes,
      long items,
      long threads) {}

  /** Threads of a block: as many as a tile has room for. */
  private static long threads(long bytes) {
    long threads = Kernels.THREADS;
    while (threads > LEAST_THREADS && bytes * threads > TILE_BYTES) {
      threads /= 2;
    }
    return threads;
  }

  /** Whether the operands are scalars, and a tile of them fits into shared memory. */
  boolean fits(SegScan s) {
    int operands = GpuTarget.scanWidth(s.scans());
    if (!GpuTarget.scalars(s, operands)) {
      return false;
    }
    long bytes = 1;
    for (var type : s.returns().subList(0, operands)) {
      bytes += type.elemPrim().byteSize();
    }
    return bytes * LEAST_THREADS <= TILE_BYTES;
  }

  void run(List<Var> pattern, SegScan s) {
    var span = target.span();
    int operands = GpuTarget.scanWidth(s.scans());
    var dims = scope.scalars(s.space().widths());
    var outs = target.soacs.outputs(pattern, operands, 0);
    var ops = s.scans().stream().map(Scan::op).toList();
    var neutral = s.scans().stream().flatMap(x -> x.neutral().stream()).toList();
    var plain = Monoid.of(target.lowering, ops, neutral);
    boolean segmented = dims.size() > 1;
    var monoid = segmented ? Monoid.segmented(scope, plain) : plain;
    var tiles = tiles(dims, monoid);
    var c = new Cooperation(scope, monoid, tiles.threads);
    var code = scope.task(() -> tile(s, c, monoid, dims, outs, operands, tiles));
    var what = segmented ? "scan of segments" : "scan";
    var draft = new Kernels.Draft(what, span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(tiles.tiles, Expr.i64(tiles.threads), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
    target.soacs.bindOutputs(pattern, outs, s.body().results());
  }

  private Tiles tiles(List<Expr> dims, Monoid monoid) {
    long bytes = monoid.prims().stream().mapToLong(Prim::byteSize).sum();
    long threads = threads(bytes);
    long most = Math.min(MOST_ITEMS, TILE_BYTES / (bytes * threads));
    // odd, so that threads that step through shared memory hit different banks
    long items = Math.max(1, most % 2 == 0 ? most - 1 : most);
    var count = scope.let("elements", ArrayVal.count(dims));
    var tiles = scope.let("tiles", Places.ceil(count, Expr.i64(items * threads)));
    var status =
        scope.allocate("status", Prim.I32, List.of(scope.let("n", Expr.add(tiles, Expr.i64(1)))));
    target.perPoint(
        "clear status of tiles", status.dims(), i -> arrays.store(status, i, Expr.zero(Prim.I32)));
    var totals = new ArrayList<View>();
    var prefixes = new ArrayList<View>();
    for (var prim : monoid.prims()) {
      totals.add(scope.allocate("tile_total", prim, List.of(tiles)));
      prefixes.add(scope.allocate("tile_prefix", prim, List.of(tiles)));
    }
    return new Tiles(count, tiles, status, status, totals, prefixes, items, threads);
  }

  private void tile(
      SegScan s,
      Cooperation c,
      Monoid monoid,
      List<Expr> dims,
      List<View> outs,
      int operands,
      Tiles t) {
    long size = t.items * t.threads;
    var lane = c.lane();
    var warp = c.warp();
    var tile = next(c, t);
    var first = scope.let("first", Expr.mul(tile, Expr.i64(size)));
    var elements = c.sharedArrays("elements", size);
    scope.forEach(
        "j",
        Expr.i64(t.items),
        j ->
            load(
                c,
                monoid,
                dims,
                point -> {
                  target.bind(s, point);
                  return target.values(s, operands, outs, point);
                },
                t,
                first,
                elements,
                j));
    c.barrier();
    // each thread its own run of consecutive elements
    var mine = scope.let("mine", Expr.mul(c.thread(), Expr.i64(t.items)));
    var x = c.neutral("x");
    each(
        t.items,
        j -> {
          var at = scope.let("at", Expr.add(mine, j));
          c.accumulate(x, c.load(elements, at));
          c.store(elements, at, Cooperation.uses(x));
        });
    var all = c.neutral("total");
    c.exclusiveScanBlock(x, all, lane, warp);
    var before = c.sharedArrays("before", 1);
    c.when(Scope.equal(warp, Expr.i64(0)), () -> lookBack(c, t, tile, lane, all, before));
    c.barrier();
    c.accumulateLeft(c.load(before, Expr.i64(0)), x);
    each(
        t.items,
        j -> {
          var at = scope.let("at", Expr.add(mine, j));
          var sum = monoid.combine(Cooperation.uses(x), c.load(elements, at));
          c.store(elements, at, sum);
        });
    c.barrier();
    scope.forEach(
        "j",
        Expr.i64(t.items),
        j -> {
          var at = scope.let("at", Expr.add(Expr.mul(j, Expr.i64(t.threads)), c.thread()));
          var i = scope.let("i", Expr.add(first, at));
          c.when(Scope.less(i, t.count), () -> write(dims, outs, operands, elements, at, i));
        });
  }

  private void each(long n, java.util.function.Consumer<Expr> body) {
    var i = Reg.index("k");
    var code = scope.block(() -> body.accept(Expr.use(i)));
    scope.add(new Code.For(i, Expr.i64(n), code, false, List.of()));
  }

  /** The tile that this block takes. */
  private Expr next(Cooperation c, Tiles t) {
    var number = c.sharedArray("tile_number", Prim.I32, 1);
    c.when(
        Scope.equal(c.thread(), Expr.i64(0)),
        () -> {
          var old = Reg.fresh("taken", Prim.I32);
          var one = i32(1);
          scope.add(
              new Code.Gpu(
                  new GpuCode.Fetch(old, BinaryOp.ADD, Prim.I32, t.counter.base(), t.tiles, one)));
          scope.add(new Code.Store(Prim.I32, Expr.use(number), Expr.i64(0), Expr.use(old)));
        });
    c.barrier();
    var taken = new Expr.Load(Prim.I32, Expr.use(number), Expr.i64(0));
    return scope.let("tile", new Expr.Conv(Prim.I64, taken));
  }

  /** Computes an element into shared memory; neighbouring threads do neighbouring elements. */
  private void load(
      Cooperation c,
      Monoid monoid,
      List<Expr> dims,
      Function<List<Expr>, List<Val>> element,
      Tiles t,
      Expr first,
      List<Reg> elements,
      Expr j) {
    var at = scope.let("at", Expr.add(Expr.mul(j, Expr.i64(t.threads)), c.thread()));
    var i = scope.let("i", Expr.add(first, at));
    var x = c.neutral("x");
    var body =
        scope.block(
            () -> {
              var point = arrays.unflatten(dims, i);
              var values = new ArrayList<Expr>();
              element.apply(point).forEach(v -> values.add(((Val.Scalar) v).expr()));
              if (values.size() < monoid.prims().size()) {
                values.add(Scope.equal(point.getLast(), Expr.i64(0)));
              }
              Monoid.assign(scope, x, values);
            });
    c.when(Scope.less(i, t.count), () -> scope.add(new Code.Gpu(new GpuCode.Attempt(body))));
    c.store(elements, at, Cooperation.uses(x));
  }

  private void write(
      List<Expr> dims, List<View> outs, int operands, List<Reg> elements, Expr at, Expr i) {
    var point = arrays.unflatten(dims, i);
    for (int k = 0; k < operands; k++) {
      var out = outs.get(k);
      var value = new Expr.Load(out.prim(), Expr.use(elements.get(k)), at);
      arrays.store(out, point, scope.let("x", value));
    }
  }

  /**
   * By one warp: publishes the tile's total, finds what comes before the tile, and publishes what
   * comes up to its end. Lane {@code k} looks at the tile {@code k} before the nearest one that
   * hasn't been looked at.
   */
  private void lookBack(
      Cooperation c, Tiles t, Expr tile, Expr lane, List<Reg> total, List<Reg> before) {
    var first = Scope.equal(lane, Expr.i64(0));
    c.when(first, () -> publish(t.totals, t, tile, Cooperation.uses(total), TOTAL));
    var sum = c.neutral("sum");
    var back = Reg.index("back");
    scope.add(new Code.Set(back, Expr.sub(tile, Expr.i64(1))));
    var body =
        scope.block(
            () -> {
              var b = scope.let("b", Expr.sub(Expr.use(back), lane));
              var ends = Reg.fresh("ends", Prim.BOOL);
              scope.add(new Code.Set(ends, Expr.bool(true)));
              var y = c.neutral("y");
              var inside = new Expr.Cmp(CompareOp.LE, Expr.i64(0), b);
              c.when(inside, () -> look(t, b, ends, y));
              var mask = Reg.fresh("mask", Prim.U32);
              scope.add(new Code.Gpu(new GpuCode.Ballot(mask, Expr.use(ends))));
              var nearest = new Expr.Un(UnaryOp.CTZ, Expr.use(mask), Prim.I32);
              var last = scope.let("last", new Expr.Conv(Prim.I64, nearest));
              c.when(Scope.less(last, lane), () -> c.set(y, c.neutral()));
              c.reduceLanesBackwards(y);
              c.accumulateLeft(Cooperation.uses(y), sum);
              var none = Scope.equal(Expr.use(mask), Expr.zero(Prim.U32));
              var next = Expr.sub(Expr.use(back), Expr.i64(Cooperation.WARP));
              scope.add(new Code.Set(back, new Expr.Select(none, next, Expr.i64(-1))));
            });
    scope.add(new Code.While(new Expr.Cmp(CompareOp.LE, Expr.i64(0), Expr.use(back)), body));
    c.when(
        first,
        () -> {
          c.store(before, Expr.i64(0), Cooperation.uses(sum));
          var all = c.combined(Cooperation.uses(sum), Cooperation.uses(total));
          publish(t.prefixes, t, tile, all, PREFIX);
        });
  }

  /** Waits for what a tile has published, unless the program fails meanwhile. */
  private void look(Tiles t, Expr b, Reg ends, List<Reg> y) {
    var status = Reg.fresh("status", Prim.I32);
    var failed = Reg.fresh("failed", Prim.BOOL);
    scope.add(new Code.Set(status, Expr.zero(Prim.I32)));
    scope.add(new Code.Set(failed, Expr.bool(false)));
    var none = Scope.equal(Expr.use(status), Expr.zero(Prim.I32));
    var wait =
        List.<Code>of(
            new Code.Gpu(new GpuCode.ReadShared(status, Prim.I32, t.status.base(), b)),
            new Code.Gpu(new GpuCode.Failed(failed)));
    scope.add(new Code.While(Scope.and(none, Cooperation.not(Expr.use(failed))), wait));
    scope.add(new Code.Gpu(new GpuCode.Fence()));
    scope.add(
        new Code.Set(
            ends, Cooperation.or(Scope.equal(Expr.use(status), i32(PREFIX)), Expr.use(failed))));
    var prefix = scope.block(() -> Monoid.assign(scope, y, read(t.prefixes, b)));
    var total = scope.block(() -> Monoid.assign(scope, y, read(t.totals, b)));
    var published = Cooperation.and(Expr.use(ends), Cooperation.not(Expr.use(failed)));
    var unfinished = Cooperation.not(Expr.use(ends));
    scope.add(new Code.If(published, prefix, List.of(new Code.If(unfinished, total, List.of()))));
  }

  private void publish(List<View> into, Tiles t, Expr tile, List<Expr> values, long status) {
    for (int k = 0; k < into.size(); k++) {
      var view = into.get(k);
      var write = new GpuCode.WriteShared(view.prim(), view.base(), tile, values.get(k));
      scope.add(new Code.Gpu(write));
    }
    scope.add(new Code.Gpu(new GpuCode.Fence()));
    var done = i32(status);
    scope.add(new Code.Gpu(new GpuCode.WriteShared(Prim.I32, t.status.base(), tile, done)));
  }

  private List<Expr> read(List<View> from, Expr tile) {
    var values = new ArrayList<Expr>();
    for (var view : from) {
      var reg = Reg.fresh("y", view.prim());
      scope.add(new Code.Gpu(new GpuCode.ReadShared(reg, view.prim(), view.base(), tile)));
      values.add(Expr.use(reg));
    }
    return values;
  }

  private static Expr i32(long x) {
    return new Expr.Lit(dev.kenaz.value.ScalarValue.i32((int) x));
  }
}
