package dev.kenaz.kernels;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loops.ArrayVal;
import dev.kenaz.loops.ArrayVal.View;
import dev.kenaz.loops.Arrays;
import dev.kenaz.loops.Scope;
import dev.kenaz.loops.Val;
import dev.kenaz.segir.SegOp.SegScan;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;

/**
 * Translates scans of scalars to one pass, with decoupled look-back (Merrill and Garland, 2016).
 *
 * <p>A block takes the next tile of elements, in order of arrival, so that whatever it waits for is
 * under way. It scans its tile in shared memory and publishes the tile's total, in words that tell
 * what they are; looks back over the tiles before, adding their totals up to one that has published
 * the total of everything up to it; publishes its own, and adds what is before to its elements.
 * Segments are scanned together, as one array, by the operator that starts afresh where a segment
 * begins.
 */
final class GpuScan {
  private static final long TOTAL = 1;
  private static final long PREFIX = 2;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;
  private final boolean deterministic;

  /**
   * @param deterministic whether tiles are always added up in the same order, see {@link
   *     #lookBackByGroups}; otherwise in the order in which they are ready
   */
  GpuScan(GpuTarget target, boolean deterministic) {
    this.target = target;
    this.deterministic = deterministic;
    scope = target.scope;
    arrays = target.arrays;
  }

  /**
   * What the host has set up for all tiles.
   *
   * @param words what tiles publish: for each word those of all tiles, and at the end how many
   *     tiles have been taken so far
   */
  private record Tiles(Expr count, Expr tiles, View words, TileStatus published) {
    Expr at(int word, Expr tile) {
      return Expr.add(Expr.mul(Expr.i64(word), tiles), tile);
    }

    Expr taken() {
      return Expr.mul(Expr.i64(published.words()), tiles);
    }

    /**
     * Where the totals begin of what comes up to the ends of tiles, if they have their own place.
     */
    Expr prefixes() {
      return Expr.add(taken(), Expr.i64(1));
    }
  }

  /** Whether the operands are scalars, and a tile of them fits into shared memory. */
  boolean fits(SegScan s) {
    int operands = GpuTarget.scanWidth(s.scans());
    if (!GpuTarget.scalars(s, operands)) {
      return false;
    }
    // the operands include the flag that segments need
    long bytes = 1;
    for (var type : s.returns().subList(0, operands)) {
      bytes += type.elemPrim().byteSize();
    }
    return ElementTile.fits(bytes);
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
    long threads = ElementTile.threads(ElementTile.bytes(monoid.prims()));
    var tiles = tiles(dims, monoid, ElementTile.items(monoid) * threads);
    var c = new Cooperation(scope, monoid, threads);
    var code = scope.task(() -> tile(s, c, monoid, dims, outs, operands, tiles));
    var what = segmented ? "scan of segments" : "scan";
    var draft = new Kernels.Draft(what, span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(tiles.tiles, Expr.i64(threads), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
    target.soacs.bindOutputs(pattern, outs, s.body().results());
  }

  private Tiles tiles(List<Expr> dims, Monoid monoid, long size) {
    var published = new TileStatus(monoid.prims());
    var count = scope.let("elements", ArrayVal.count(dims));
    var tiles = scope.let("tiles", IndexMath.ceil(count, Expr.i64(size)));
    var all = Expr.add(Expr.mul(Expr.i64(published.words()), tiles), Expr.i64(1));
    // by groups, totals stay where they are, and prefixes are behind the number of tiles taken
    all = deterministic ? Expr.mul(Expr.i64(2), all) : all;
    var words = scope.allocate("published", Prim.U64, List.of(scope.let("n", all)));
    target.perPoint(
        "clear what tiles publish", words.dims(), i -> arrays.store(words, i, Expr.zero(Prim.U64)));
    return new Tiles(count, tiles, words, published);
  }

  private void tile(
      SegScan s,
      Cooperation c,
      Monoid monoid,
      List<Expr> dims,
      List<View> outs,
      int operands,
      Tiles t) {
    var lane = c.lane();
    var warp = c.warp();
    var tile = next(c, t);
    var elements = new ElementTile(scope, c, monoid);
    var first = scope.let("first", Expr.mul(tile, Expr.i64(elements.size())));
    elements.load(first, t.count, i -> element(s, monoid, dims, outs, operands, i));
    var x = c.neutral("x");
    elements.own((at, value) -> c.accumulate(x, value));
    var all = c.neutral("total");
    c.exclusiveScanBlock(x, all, lane, warp);
    var before = c.sharedArrays("before", 1);
    c.when(
        Scope.equal(warp, Expr.i64(0)),
        () -> {
          if (deterministic) {
            lookBackByGroups(c, t, tile, lane, all, before);
          } else {
            lookBack(c, t, tile, lane, all, before);
          }
        });
    c.barrier();
    c.accumulateLeft(c.load(before, Expr.i64(0)), x);
    elements.own(
        (at, value) -> {
          c.accumulate(x, value);
          elements.put(at, Cooperation.uses(x));
        });
    elements.write(first, t.count, (i, value) -> write(dims, outs, operands, value, i));
  }

  private List<Expr> element(
      SegScan s, Monoid monoid, List<Expr> dims, List<View> outs, int operands, Expr i) {
    var point = arrays.unflatten(dims, i);
    target.bind(s, point);
    var values = new ArrayList<Expr>();
    target.values(s, operands, outs, point).forEach(v -> values.add(((Val.Scalar) v).expr()));
    if (values.size() < monoid.prims().size()) {
      values.add(Scope.equal(point.getLast(), Expr.i64(0)));
    }
    return values;
  }

  /** Returns the tile that this block takes. */
  private Expr next(Cooperation c, Tiles t) {
    var number = c.sharedArray("tile_number", Prim.U64, 1);
    c.when(
        Scope.equal(c.thread(), Expr.i64(0)),
        () -> {
          var old = Reg.fresh("taken", Prim.U64);
          var one = TileStatus.u64(1);
          scope.add(
              new Code.Gpu(
                  new GpuCode.Fetch(old, BinaryOp.ADD, Prim.U64, t.words.base(), t.taken(), one)));
          scope.add(new Code.Store(Prim.U64, Expr.use(number), Expr.i64(0), Expr.use(old)));
        });
    c.barrier();
    var taken = new Expr.Load(Prim.U64, Expr.use(number), Expr.i64(0));
    return scope.let("tile", new Expr.Conv(Prim.I64, taken));
  }

  private void write(List<Expr> dims, List<View> outs, int operands, List<Expr> values, Expr i) {
    var point = arrays.unflatten(dims, i);
    for (int k = 0; k < operands; k++) {
      arrays.store(outs.get(k), point, values.get(k));
    }
  }

  /**
   * Runs in one warp: publishes the tile's total, finds what comes before the tile, and publishes
   * what comes up to its end. Lane {@code k} looks at the tile {@code k} before the nearest one
   * that hasn't been looked at.
   */
  private void lookBack(
      Cooperation c, Tiles t, Expr tile, Expr lane, List<Reg> total, List<Reg> before) {
    var first = Scope.equal(lane, Expr.i64(0));
    c.when(first, () -> publish(t, Expr.i64(0), tile, Cooperation.uses(total), TOTAL));
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
              c.when(inside, () -> look(t, Expr.i64(0), b, ends, y));
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
          publish(t, Expr.i64(0), tile, all, PREFIX);
        });
  }

  /**
   * Does the same as {@link #lookBack}, but always adds up the same: the totals of those tiles
   * before that are in the same group of as many as a warp has lanes, and what comes up to the end
   * of the group before. So only the last tile of a group publishes that, and groups wait for each
   * other.
   */
  private void lookBackByGroups(
      Cooperation c, Tiles t, Expr tile, Expr lane, List<Reg> total, List<Reg> before) {
    var first = Scope.equal(lane, Expr.i64(0));
    var group = Expr.i64(Cooperation.WARP);
    c.when(first, () -> publish(t, Expr.i64(0), tile, Cooperation.uses(total), TOTAL));
    var place = scope.let("place", IndexMath.rem(tile, group));
    var b = scope.let("b", Expr.sub(Expr.sub(tile, Expr.i64(1)), lane));
    var ends = Reg.fresh("ends", Prim.BOOL);
    scope.add(new Code.Set(ends, Expr.bool(true)));
    var y = c.neutral("y");
    var inside = new Expr.Cmp(CompareOp.LE, Expr.i64(0), b);
    var wanted = Scope.and(inside, new Expr.Cmp(CompareOp.LE, lane, place));
    var isLast = Scope.equal(lane, place);
    c.when(wanted, () -> look(t, new Expr.Select(isLast, t.prefixes(), Expr.i64(0)), b, ends, y));
    c.reduceLanesBackwards(y);
    c.when(
        first,
        () -> {
          c.store(before, Expr.i64(0), Cooperation.uses(y));
          var end = Scope.equal(place, Expr.sub(group, Expr.i64(1)));
          c.when(
              end,
              () -> {
                var all = c.combined(Cooperation.uses(y), Cooperation.uses(total));
                publish(t, t.prefixes(), tile, all, PREFIX);
              });
        });
  }

  /**
   * Waits for what a tile has published, unless the program fails meanwhile. Each word tells what
   * it is a part of, and is read at once: if all tell the same, they belong together, whatever the
   * order in which they arrive.
   *
   * @param from where the words begin
   */
  private void look(Tiles t, Expr from, Expr b, Reg ends, List<Reg> y) {
    var words = new ArrayList<Reg>();
    for (int k = 0; k < t.published.words(); k++) {
      words.add(Reg.fresh("word", Prim.U64));
    }
    var waits = Reg.fresh("waits", Prim.BOOL);
    var failed = Reg.fresh("failed", Prim.BOOL);
    var status = TileStatus.status(Expr.use(words.getFirst()));
    scope.add(new Code.Set(waits, Expr.bool(true)));
    scope.add(new Code.Set(failed, Expr.bool(false)));
    words.forEach(w -> scope.add(new Code.Set(w, Expr.zero(Prim.U64))));
    var body =
        scope.block(
            () -> {
              for (int k = 0; k < words.size(); k++) {
                var at = Expr.add(from, t.at(k, b));
                scope.add(
                    new Code.Gpu(
                        new GpuCode.ReadShared(words.get(k), Prim.U64, t.words.base(), at)));
              }
              Expr incomplete = Scope.equal(status, Expr.zero(Prim.U64));
              for (var w : words.subList(1, words.size())) {
                var same = Scope.equal(TileStatus.status(Expr.use(w)), status);
                incomplete = Cooperation.or(incomplete, Cooperation.not(same));
              }
              scope.add(new Code.Set(waits, incomplete));
              var ask = List.<Code>of(new Code.Gpu(new GpuCode.Failed(failed)));
              scope.add(new Code.If(Expr.use(waits), ask, List.of()));
            });
    var on = Scope.and(Expr.use(waits), Cooperation.not(Expr.use(failed)));
    scope.add(new Code.While(on, body));
    var prefix = Scope.equal(status, TileStatus.u64(PREFIX));
    scope.add(new Code.Set(ends, Cooperation.or(prefix, Expr.use(waits))));
    var values = scope.block(() -> Monoid.assign(scope, y, t.published.values(scope, words)));
    scope.add(new Code.If(Cooperation.not(Expr.use(waits)), values, List.of()));
  }

  private void publish(Tiles t, Expr from, Expr tile, List<Expr> values, long status) {
    var words = t.published.words(scope, values, status);
    for (int k = 0; k < words.size(); k++) {
      var at = Expr.add(from, t.at(k, tile));
      var write = new GpuCode.WriteShared(Prim.U64, t.words.base(), at, words.get(k));
      scope.add(new Code.Gpu(write));
    }
  }
}
