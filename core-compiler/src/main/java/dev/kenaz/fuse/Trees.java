package dev.kenaz.fuse;

import dev.kenaz.fuse.OperatorFission.Part;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Attr;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Slice;
import dev.kenaz.ir.Exp.While;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * Turns reductions and scans at the outside whose operators work on arrays into loops of maps, as
 * many as the width has bits. A map combines all pairs of one level at once, and what is parallel
 * in the operator is parallel in it too, which it is not in a reduction.
 *
 * <pre>
 *   reduce op ne xs  is  loop (r, xs) = (ne, xs) while length xs > 1
 *                        do let s = length xs % 2
 *                           in (if s == 1 then op r xs[0] else r, map2 op xs[s::2] xs[s+1::2])
 *   scan op ne xs    is  loop xs for s = 1, 2, 4, ... do      -- xs[i] is of 2s rows, up to i
 *                           xs with [2s-1::2s] = map2 op xs[s-1::2s] xs[2s-1::2s]
 *                        then for s = ..., 4, 2, 1 do           -- and now of all rows up to i
 *                           xs with [3s-1::2s] = map2 op xs[2s-1::2s] xs[3s-1::2s]
 * </pre>
 *
 * <p>(A row without a partner is the first; it is combined with those on its left, which are in
 * {@code r} already.) Both apply the operator less than twice as often as there are rows.
 */
final class Trees implements CodeRewriter {
  private static final Attr SEQUENTIAL = Attr.of("sequential");

  private boolean changed;

  private Trees() {}

  /** Returns the program itself if there is nothing to do. */
  static CoreProgram run(CoreProgram program) {
    var t = new Trees();
    var result = t.program(program);
    return t.changed ? result : program;
  }

  /** Leaves functions of operators alone: what is in them is inside. */
  @Override
  public List<Stm> stm(Stm stm) {
    return switch (stm.exp()) {
      case Exp.If _, Loop _ -> CodeRewriter.super.stm(stm);
      case Screma s
          when !stm.attrs().contains(SEQUENTIAL)
              && OperatorFission.any(s, OperatorFission::ofArrays) -> {
        changed = true;
        yield loops(stm, s, false);
      }
      default -> List.of(stm);
    };
  }

  /**
   * Returns the statement without the parts of its operator that are on arrays, and a loop for each
   * of those.
   */
  private static List<Stm> loops(Stm stm, Screma s, boolean inPlace) {
    var split = OperatorFission.of(stm, s, OperatorFission::ofArrays);
    var b = new Builder(stm.span());
    b.addAll(split.rest());
    for (var part : split.parts()) {
      if (part.scan()) {
        scan(b, s.width(), part);
      } else if (inPlace) {
        reduceInPlace(b, s.width(), part);
      } else {
        reduce(b, s.width(), part);
      }
    }
    return b.stms();
  }

  // Reductions

  private static void reduce(Builder b, Atom width, Part t) {
    var m = Names.fresh("m", Type.I64);
    var more = Names.fresh("more", Type.BOOL);
    var xs = new ArrayList<Var>();
    var before = new ArrayList<Var>();
    for (var e : t.elements()) {
      xs.add(Names.fresh("level", row(e).under(m)));
      before.add(Names.fresh("left", row(e)));
    }
    var inner = b.inner();
    var half = inner.binary(BinaryOp.QUOT, m, Atom.i64(2));
    var over = inner.binary(BinaryOp.REM, m, Atom.i64(2));
    var odd = inner.compare(CompareOp.EQ, over, Atom.i64(1));
    var results = new ArrayList<Atom>(List.of(half));
    var next = inner.add(over, Atom.i64(1));
    results.addAll(pairs(inner, t.op(), xs, half, over, next, Atom.i64(2)));
    results.addAll(combined(inner, odd, t.op(), before, xs));
    results.add(inner.compare(CompareOp.LT, Atom.i64(1), half));
    var params = new ArrayList<>(List.of(new LoopParam(m, width)));
    params.addAll(params(xs, t.elements()));
    params.addAll(params(before, t.neutral()));
    params.add(new LoopParam(more, b.compare(CompareOp.LT, Atom.i64(1), width)));
    var count = Names.fresh("m", Type.I64);
    var last = xs.stream().map(x -> Names.fresh("level", row(x).under(count))).toList();
    var left = before.stream().map(Names::like).toList();
    var pattern = Lists.concat(List.of(count), last, left, List.of(Names.fresh("more", Type.BOOL)));
    b.bindAll(pattern, new Loop(params, new While(more), inner.body(results)));
    var some = b.compare(CompareOp.LT, Atom.i64(0), count);
    var whole = combined(b, some, t.op(), left, last);
    for (int k = 0; k < whole.size(); k++) {
      var x = whole.get(k);
      var own = x.type().isArray() ? new Exp.Copy(x) : new Exp.Alias(x);
      b.bindAll(List.of(t.results().get(k)), own);
    }
  }

  private static List<LoopParam> params(List<Var> vars, List<? extends Atom> inits) {
    return IntStream.range(0, vars.size())
        .mapToObj(k -> new LoopParam(vars.get(k), inits.get(k)))
        .toList();
  }

  /**
   * Combines what is on the left with the first row, if the condition holds; else takes it alone.
   */
  private static List<Var> combined(
      Builder b, Atom condition, Lambda op, List<Var> left, List<Var> xs) {
    var then = b.inner();
    var operands = new ArrayList<Atom>(left);
    xs.forEach(x -> operands.add(then.bind("row", new Index(x, List.of(Atom.i64(0)), false))));
    var results = then.call(op, operands);
    var otherwise = new Body(List.of(), List.copyOf(left));
    var types = left.stream().map(Var::type).toList();
    return b.bindAll("left", types, new Exp.If(condition, then.body(results), otherwise));
  }

  // In place

  /**
   * Makes loops that count the levels and overwrite one array: they have as many iterations at
   * every point of a nest of maps, so that they can change places with the nest.
   */
  static List<Stm> inPlace(Stm stm, Screma s) {
    return loops(stm, s, true);
  }

  private static void reduceInPlace(Builder b, Atom width, Part t) {
    var one = Atom.i64(1);
    var last = b.sub(b.binary(BinaryOp.MAX, width, one), one);
    var bits = b.sub(Atom.i64(64), b.convert(Prim.I64, b.unary(UnaryOp.CLZ, last)));
    var sums =
        levels(
            b,
            t.op(),
            bits,
            own(b, t),
            (c, i) -> {
              var step = c.binary(BinaryOp.SHL, one, i);
              var twice = c.binary(BinaryOp.SHL, step, one);
              var rest = c.sub(c.add(c.sub(width, step), twice), one);
              var count = c.binary(BinaryOp.SHR, rest, c.add(i, one));
              return new Level(count, Atom.i64(0), step, Atom.i64(0), twice);
            });
    var some = b.compare(CompareOp.LT, Atom.i64(0), width);
    var then = b.inner();
    var rows = new ArrayList<Atom>();
    sums.forEach(x -> rows.add(then.bind("row", new Index(x, List.of(Atom.i64(0)), false))));
    var types = sums.stream().map(Trees::row).toList();
    var otherwise = new Body(List.of(), List.copyOf(t.neutral()));
    var whole = b.bindAll("whole", types, new Exp.If(some, then.body(rows), otherwise));
    for (int k = 0; k < whole.size(); k++) {
      var x = whole.get(k);
      b.bindAll(
          List.of(t.results().get(k)), x.type().isArray() ? new Exp.Copy(x) : new Exp.Alias(x));
    }
  }

  /** Scans as Brent and Kung do: sums of ever larger blocks, then what lies between their ends. */
  private static void scan(Builder b, Atom width, Part t) {
    var one = Atom.i64(1);
    var some = b.binary(BinaryOp.MAX, width, one);
    var bits = b.sub(Atom.i64(63), b.convert(Prim.I64, b.unary(UnaryOp.CLZ, some)));
    var up =
        levels(
            b,
            t.op(),
            bits,
            own(b, t),
            (c, i) -> {
              var step = c.binary(BinaryOp.SHL, one, i);
              var twice = c.binary(BinaryOp.SHL, step, one);
              var count = c.binary(BinaryOp.SHR, width, c.add(i, one));
              var right = c.sub(twice, one);
              return new Level(count, c.sub(step, one), right, right, twice);
            });
    var down =
        levels(
            b,
            t.op(),
            bits,
            up,
            (c, i) -> {
              var back = c.sub(c.sub(bits, one), i);
              var step = c.binary(BinaryOp.SHL, one, back);
              var twice = c.binary(BinaryOp.SHL, step, one);
              var count = c.binary(BinaryOp.SHR, c.sub(width, step), c.add(back, one));
              var left = c.sub(twice, one);
              var right = c.add(left, step);
              return new Level(count, left, right, right, twice);
            });
    for (int k = 0; k < down.size(); k++) {
      b.bindAll(List.of(t.results().get(k)), new Exp.Alias(down.get(k)));
    }
  }

  private static List<Var> own(Builder b, Part t) {
    return t.elements().stream().map(e -> b.bind("level", new Exp.Copy(e))).toList();
  }

  /**
   * One level: {@code count} rows from {@code left} on, each combined with one from {@code right}
   * on, all a stride apart, overwrite those from {@code into} on.
   */
  private record Level(Atom count, Atom left, Atom right, Atom into, Atom stride) {}

  private static List<Var> levels(
      Builder b, Lambda op, Atom bound, List<Var> start, BiFunction<Builder, Var, Level> level) {
    return b.forLoop(
        bound,
        start,
        (i, xs) ->
            c -> {
              var l = level.apply(c, i);
              var sums = pairs(c, op, xs, l.count, l.left, l.right, l.stride);
              var next = new ArrayList<Var>();
              for (int k = 0; k < xs.size(); k++) {
                var slice = rows(xs.get(k), l.into, l.count, l.stride);
                next.add(
                    c.bind(
                        "level",
                        xs.get(k).type(),
                        new Exp.Update(xs.get(k), slice, sums.get(k), false)));
              }
              return next;
            });
  }

  // Levels

  private static Type row(Var array) {
    return ((Type.Array) array.type()).row();
  }

  /**
   * Combines {@code count} pairs, of rows left, left + stride, ... and right, right + stride, ...
   */
  private static List<Var> pairs(
      Builder b, Lambda op, List<Var> xs, Atom count, Atom left, Atom right, Atom stride) {
    var inputs = new ArrayList<Var>();
    xs.forEach(x -> inputs.add(slice(b, x, left, count, stride)));
    xs.forEach(x -> inputs.add(slice(b, x, right, count, stride)));
    var types = xs.stream().map(x -> row(x).under(count)).toList();
    var map = new Screma(count, inputs, List.of(), List.of(), new Renaming().lambda(op));
    return b.bindAll("level", types, map);
  }

  private static Var slice(Builder b, Var x, Atom from, Atom count, Atom stride) {
    var slice = rows(x, from, count, stride);
    return b.bind("part", row(x).under(count), new Slice(x, slice, false));
  }

  private static List<DimSlice> rows(Var x, Atom from, Atom count, Atom stride) {
    var dims = x.type().dims();
    var slice = new ArrayList<DimSlice>(List.of(new DimSlice.Range(from, count, stride)));
    for (var d : dims.subList(1, dims.size())) {
      slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    return slice;
  }
}
