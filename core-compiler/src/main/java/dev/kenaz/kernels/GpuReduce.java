package dev.kenaz.kernels;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
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
import dev.kenaz.segir.SegOp.SegRed;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Translates reductions of scalars.
 *
 * <p>A segment is cut into parts, one for each block, so many that all segments together keep the
 * device busy. Each block leaves a result; if there are several parts, a second kernel, with a
 * block for each segment, reduces those. A block's threads take elements in turns; where the
 * operator doesn't commute, they reduce a tile of consecutive elements at a time, in order. Short
 * segments are reduced by a group of lanes of one warp each, so that a block does many.
 */
final class GpuReduce {
  /** This many elements are worth a block of their own. */
  private static final long PART = 8L * Kernels.THREADS;

  /**
   * The number of blocks for all segments: several times as many as any device runs at once, so
   * that the last ones don't leave it half idle.
   */
  private static final long BLOCKS = 4096;

  /** This many short segments keep a device busy. */
  private static final long ENOUGH = 32;

  /** Lanes of one warp reduce segments up to this length. */
  private static final long SHORT = 1024;

  /** So many lanes keep a device busy, even if each has this many elements. */
  private static final long MANY = 1L << 17;

  private static final long EACH = 4;

  private final GpuTarget target;
  private final Scope scope;
  private final Arrays arrays;

  GpuReduce(GpuTarget target) {
    this.target = target;
    scope = target.scope;
    arrays = target.arrays;
  }

  /**
   * A set of segments to be reduced.
   *
   * @param outer dimensions of the segments' space
   * @param width of each segment
   * @param parts into which each segment is cut
   * @param length of all parts except the last
   * @param element adds code for the element at a position of a segment; gives the operands
   * @param results addresses, one for each component; there, part after part, segment after segment
   */
  private record Work(
      String what,
      List<Expr> outer,
      Expr segments,
      Expr width,
      Expr parts,
      Expr length,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<Expr> results) {}

  void run(List<Var> pattern, SegRed r) {
    int operands = GpuTarget.width(r.reduces());
    var dims = scope.scalars(r.space().widths());
    var outer = dims.subList(0, dims.size() - 1);
    List<View> results = pattern.subList(0, operands).stream().map(v -> result(v, outer)).toList();
    run(pattern, r, results);
    bindResults(pattern.subList(0, operands), outer, results);
  }

  /** Reduces to results in given places, which needn't be contiguous. */
  void into(List<View> places, List<Var> pattern, SegRed r) {
    var results = new ArrayList<View>();
    for (int k = 0; k < places.size(); k++) {
      var p = places.get(k);
      results.add(p.contiguous() ? p : scope.allocate(pattern.get(k).name(), p.prim(), p.dims()));
    }
    run(pattern, r, results);
    for (int k = 0; k < places.size(); k++) {
      if (!places.get(k).contiguous()) {
        arrays.copy(places.get(k), results.get(k));
      }
    }
  }

  private void run(List<Var> pattern, SegRed r, List<View> results) {
    int operands = GpuTarget.width(r.reduces());
    var dims = scope.scalars(r.space().widths());
    var outer = dims.subList(0, dims.size() - 1);
    var width = dims.getLast();
    var segments = scope.let("segments", ArrayVal.count(outer));
    var monoid = monoid(r);
    boolean commutative = r.reduces().stream().allMatch(Operators::commutes);
    var outs = target.soacs.outputs(pattern, 0, operands);
    BiFunction<List<Expr>, Expr, List<Expr>> element =
        (segment, i) -> {
          var point = Lists.<Expr>concat(segment, List.of(i));
          target.bind(r, point);
          return target.values(r, operands, outs, point).stream()
              .map(v -> ((Val.Scalar) v).expr())
              .toList();
        };
    var wanted = IndexMath.quot(Expr.i64(BLOCKS), IndexMath.max(segments, Expr.i64(1)));
    var parts =
        scope.let(
            "parts",
            IndexMath.max(
                Expr.i64(1),
                IndexMath.min(
                    IndexMath.ceil(width, Expr.i64(PART)), IndexMath.max(wanted, Expr.i64(1)))));
    var columns = new ColumnReduce(target, monoid, commutative);
    if (outer.isEmpty()) {
      inParts(monoid, commutative, outer, segments, width, parts, element, results);
    } else if (ElementReads.acrossSegments(scope, r) && columns.fits()) {
      var plan = columns.plan(outer);
      var rowParts = columns.parts(plan, outer, width, BLOCKS);
      inSteps(
          monoid,
          commutative,
          segments,
          rowParts,
          results,
          into -> columns.launch(plan, outer, width, rowParts, element, into));
    } else {
      var enough = Scope.less(Expr.i64(ENOUGH), segments);
      var brief =
          Scope.and(
              new Expr.Cmp(CompareOp.LE, width, Expr.i64(SHORT)),
              Cooperation.or(enough, new Expr.Cmp(CompareOp.LE, width, Expr.i64(32))));
      var small =
          scope.block(
              () -> shortSegments(monoid, commutative, outer, segments, width, element, results));
      var large =
          scope.block(
              () -> inParts(monoid, commutative, outer, segments, width, parts, element, results));
      scope.add(new Code.If(brief, small, large));
    }
    target.soacs.bindOutputs(pattern, outs, r.body().results());
  }

  private Monoid monoid(SegRed r) {
    var ops = r.reduces().stream().map(Reduce::op).toList();
    var neutral = r.reduces().stream().flatMap(x -> x.neutral().stream()).toList();
    return Monoid.of(target.lowering, ops, neutral);
  }

  /** Contiguous memory for a result: where it is wanted, if that will do. */
  private View result(Var v, List<Expr> outer) {
    if (outer.isEmpty()) {
      return scope.allocate(v.name(), v.type().elemPrim(), List.of(Expr.i64(1)));
    }
    var place = arrays.destination(v);
    return place.contiguous() ? place : scope.allocate(v.name(), place.prim(), place.dims());
  }

  private void bindResults(List<Var> pattern, List<Expr> outer, List<View> results) {
    for (int k = 0; k < results.size(); k++) {
      var view = results.get(k);
      if (outer.isEmpty()) {
        var value = new Expr.Load(view.prim(), view.base(), view.offset());
        // a float stays where it is until the host asks for it
        scope.bind(
            pattern.get(k),
            new Val.Scalar(
                view.prim().isFloat() ? value : scope.let(pattern.get(k).name(), value)));
      } else {
        scope.bind(pattern.get(k), view);
      }
    }
  }

  // Long segments

  private void inParts(
      Monoid monoid,
      boolean commutative,
      List<Expr> outer,
      Expr segments,
      Expr width,
      Expr parts,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<View> results) {
    inSteps(
        monoid,
        commutative,
        segments,
        parts,
        results,
        into -> {
          var length = scope.let("length", IndexMath.ceil(width, parts));
          blocks(
              monoid,
              commutative,
              new Work("reduce", outer, segments, width, parts, length, element, into));
        });
  }

  /**
   * Reduces in one step if each segment has one part, else in two.
   *
   * @param first emits the first step, given where its results go
   */
  private void inSteps(
      Monoid monoid,
      boolean commutative,
      Expr segments,
      Expr parts,
      List<View> results,
      Consumer<List<Expr>> first) {
    var one = scope.let("one", Scope.equal(parts, Expr.i64(1)));
    var into = new ArrayList<Expr>();
    var partials = new ArrayList<View>();
    for (var view : results) {
      var count = scope.let("count", new Expr.Select(one, Expr.i64(0), Expr.mul(segments, parts)));
      var partial = scope.allocate("partial", view.prim(), List.of(count));
      partials.add(partial);
      into.add(scope.let("into", new Expr.Select(one, view.address(), partial.base())));
    }
    first.accept(into);
    BiFunction<List<Expr>, Expr, List<Expr>> partial =
        (segment, i) -> {
          var at = Expr.add(Expr.mul(segment.getFirst(), parts), i);
          return partials.stream()
              .map(p -> scope.let("x", new Expr.Load(p.prim(), p.base(), at)))
              .toList();
        };
    var addresses = results.stream().map(v -> scope.let("into", v.address())).toList();
    var second =
        scope.block(
            () ->
                blocks(
                    monoid,
                    commutative,
                    new Work(
                        "reduce partial results",
                        List.of(segments),
                        segments,
                        parts,
                        Expr.i64(1),
                        parts,
                        partial,
                        addresses)));
    scope.add(new Code.If(one, List.of(), second));
  }

  /** Reduces each part by a block. */
  private void blocks(Monoid monoid, boolean commutative, Work w) {
    var span = target.span();
    long bytes = ElementTile.bytes(monoid.prims());
    boolean tiles = !commutative && ElementTile.fits(bytes) && ElementTile.items(monoid) > 1;
    long threads = tiles ? ElementTile.threads(bytes) : Kernels.THREADS;
    var c = new Cooperation(scope, monoid, threads);
    var code = scope.task(() -> part(c, monoid, commutative, tiles, threads, w));
    var blocks = scope.let("blocks", Expr.mul(w.segments, w.parts));
    var draft = new Kernels.Draft(w.what, span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(blocks, Expr.i64(threads), Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  private void part(
      Cooperation c, Monoid monoid, boolean commutative, boolean tiles, long threads, Work w) {
    var lane = c.lane();
    var warp = c.warp();
    var block = Expr.use(c.grid.block());
    var number = scope.let("segment", IndexMath.quot(block, w.parts));
    var segment = w.outer.isEmpty() ? List.<Expr>of() : arrays.unflatten(w.outer, number);
    var lo = scope.let("lo", Expr.mul(Expr.sub(block, Expr.mul(number, w.parts)), w.length));
    var hi = scope.let("hi", IndexMath.min(w.width, Expr.add(lo, w.length)));
    var sum = c.neutral("sum");
    if (commutative) {
      var start = scope.let("start", Expr.add(lo, c.thread()));
      var step = Expr.i64(threads);
      turns(
          start,
          step,
          IndexMath.ceil(left(start, hi), step),
          at -> c.accumulate(sum, w.element.apply(segment, at)));
      c.reduceBlock(sum, lane, warp);
    } else if (tiles) {
      var elements = new ElementTile(scope, c, monoid);
      inTiles(
          lo,
          hi,
          elements.size(),
          tile -> {
            elements.load(tile, hi, i -> w.element.apply(segment, i));
            var x = c.neutral("x");
            elements.own((_, value) -> c.accumulate(x, value));
            c.reduceBlock(x, lane, warp);
            c.accumulate(sum, Cooperation.uses(x));
          });
    } else {
      inTiles(
          lo,
          hi,
          threads,
          tile -> {
            var x = c.neutral("x");
            var i = scope.let("i", Expr.add(tile, c.thread()));
            c.when(
                Scope.less(i, hi),
                () -> attempt(() -> Monoid.assign(scope, x, w.element.apply(segment, i))));
            c.reduceBlock(x, lane, warp);
            c.barrier();
            c.accumulate(sum, Cooperation.uses(x));
          });
    }
    c.when(Scope.equal(c.thread(), Expr.i64(0)), () -> write(w.results, sum, block));
  }

  private static Expr left(Expr start, Expr end) {
    return IndexMath.max(Expr.i64(0), Expr.sub(end, start));
  }

  /** Runs the body at every {@code step}-th place; its code may appear several times. */
  private void turns(Expr start, Expr step, Expr times, Consumer<Expr> body) {
    var t = Reg.index("t");
    var code =
        scope.block(
            () -> {
              var at = scope.let("i", Expr.add(start, Expr.mul(Expr.use(t), step)));
              attempt(() -> body.accept(at));
            });
    scope.add(new Code.For(t, scope.let("rounds", times), code, true, List.of()));
  }

  private void inTiles(Expr lo, Expr hi, long size, Consumer<Expr> body) {
    var tile = Reg.index("tile");
    scope.add(new Code.Set(tile, lo));
    var code =
        scope.block(
            () -> {
              body.accept(Expr.use(tile));
              scope.add(new Code.Set(tile, Expr.add(Expr.use(tile), Expr.i64(size))));
            });
    scope.add(new Code.While(Scope.less(Expr.use(tile), hi), code));
  }

  private void attempt(Runnable action) {
    scope.add(new Code.Gpu(new GpuCode.Attempt(scope.block(action))));
  }

  private void write(List<Expr> results, List<Reg> values, Expr index) {
    for (int k = 0; k < results.size(); k++) {
      Prim prim = values.get(k).prim();
      scope.add(new Code.Store(prim, results.get(k), index, Expr.use(values.get(k))));
    }
  }

  // Short segments

  private void shortSegments(
      Monoid monoid,
      boolean commutative,
      List<Expr> outer,
      Expr segments,
      Expr width,
      BiFunction<List<Expr>, Expr, List<Expr>> element,
      List<View> results) {
    var span = target.span();
    var group = group(commutative, segments, width);
    var into = results.stream().map(v -> scope.let("into", v.address())).toList();
    var c = new Cooperation(scope, monoid);
    var code =
        scope.task(
            () -> {
              var gid = scope.let("gid", IndexMath.global(c.grid));
              var number = scope.let("segment", group.quot(gid));
              var lane = scope.let("lane", group.rem(gid));
              var inside = scope.let("inside", Scope.less(number, segments));
              var segment = arrays.unflatten(outer, number);
              var sum =
                  lanes(c, commutative, lane, inside, group, width, i -> element.apply(segment, i));
              var first = Scope.equal(lane, Expr.i64(0));
              c.when(Scope.and(inside, first), () -> write(into, sum, number));
            });
    var threads = Expr.i64(Kernels.THREADS);
    var blocks = scope.let("blocks", IndexMath.ceil(Expr.mul(segments, group.lanes), threads));
    var draft = new Kernels.Draft("reduce short segments", span, c.grid, c.shared(), code);
    var shape = new Kernels.Shape(blocks, threads, Expr.i64(0));
    target.kernels.launch(draft, shape).forEach(scope::add);
  }

  /** How many lanes a segment has: a power of two, and which one. */
  private record Group(Expr lanes, Expr power) {
    Expr quot(Expr x) {
      return new Expr.Bin(BinaryOp.SHR, x, power);
    }

    Expr rem(Expr x) {
      return new Expr.Bin(BinaryOp.AND, x, Expr.sub(lanes, Expr.i64(1)));
    }

    Expr ceil(Expr x) {
      return quot(Expr.add(x, Expr.sub(lanes, Expr.i64(1))));
    }
  }

  /** Where there are very many segments, a lane had better have several of a segment's elements. */
  private Group group(boolean commutative, Expr segments, Expr width) {
    var fewer = IndexMath.ceil(width, Expr.i64(EACH));
    var many = Scope.less(Expr.i64(MANY), Expr.mul(segments, fewer));
    var wanted = commutative ? new Expr.Select(many, fewer, width) : width;
    Expr lanes = Expr.i64(1);
    Expr power = Expr.i64(0);
    for (int p = 1; 1L << p <= Cooperation.WARP; p++) {
      var more = Scope.less(Expr.i64(1L << (p - 1)), wanted);
      lanes = new Expr.Select(more, Expr.i64(1L << p), lanes);
      power = new Expr.Select(more, Expr.i64(p), power);
    }
    return new Group(scope.let("lanes", lanes), scope.let("power", power));
  }

  /** Combines a part of a segment's elements by the lanes of a group; the first has the result. */
  private List<Reg> lanes(
      Cooperation c,
      boolean commutative,
      Expr lane,
      Expr inside,
      Group group,
      Expr width,
      Function<Expr, List<Expr>> element) {
    var sum = c.neutral("sum");
    if (commutative) {
      var end = scope.let("end", new Expr.Select(inside, width, Expr.i64(0)));
      turns(
          lane, group.lanes, group.ceil(left(lane, end)), i -> c.accumulate(sum, element.apply(i)));
      c.reduceLanes(sum, group.lanes);
      return sum;
    }
    scope.whileLess(
        "tile",
        Expr.i64(0),
        width,
        tile -> Expr.add(tile, group.lanes),
        tile -> {
          var x = c.neutral("x");
          var i = scope.let("i", Expr.add(tile, lane));
          c.when(
              Scope.and(inside, Scope.less(i, width)),
              () -> attempt(() -> Monoid.assign(scope, x, element.apply(i))));
          c.reduceLanes(x, group.lanes);
          c.accumulate(sum, Cooperation.uses(x));
        });
    return sum;
  }

  /** Variables of the types of the arrays' elements under the outer dimensions. */
  static List<Var> rows(List<Var> arrays, int outer) {
    var rows = new ArrayList<Var>();
    for (var v : arrays) {
      Type type = v.type();
      for (int k = 0; k < outer; k++) {
        type = ((Type.Array) type).row();
      }
      rows.add(Names.fresh(v.name(), type));
    }
    return rows;
  }
}
