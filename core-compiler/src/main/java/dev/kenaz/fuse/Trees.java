package dev.kenaz.fuse;

import dev.kenaz.fuse.Apart.Part;
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
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Reductions and scans at the outside whose operators work on arrays become loops of maps, as many
 * as the width has bits. A map combines all pairs of one level at once, and what is parallel in the
 * operator is parallel in it too, which it is not in a reduction.
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

  /** The program itself if there is nothing to do. */
  static CoreProgram run(CoreProgram program) {
    var t = new Trees();
    var result = t.program(program);
    return t.changed ? result : program;
  }

  /** Functions of operators are not looked into: what is in them is inside. */
  @Override
  public List<Stm> stm(Stm stm) {
    return switch (stm.exp()) {
      case Exp.If _, Loop _ -> CodeRewriter.super.stm(stm);
      case Screma s when !stm.attrs().contains(SEQUENTIAL) && Apart.any(s, Apart::ofArrays) -> {
        changed = true;
        var split = Apart.of(stm, s, Apart::ofArrays);
        var b = new Builder(stm.span());
        b.add(split.rest());
        for (var part : split.parts()) {
          if (part.scan()) {
            scan(b, s.width(), part);
          } else {
            reduce(b, s.width(), part);
          }
        }
        yield b.stms();
      }
      default -> List.of(stm);
    };
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
    var pattern = new ArrayList<>(List.of(count));
    pattern.addAll(last);
    pattern.addAll(left);
    pattern.add(Names.fresh("more", Type.BOOL));
    b.bindAll(pattern, new Loop(params, new While(more), inner.body(results)));
    var some = b.compare(CompareOp.LT, Atom.i64(0), count);
    var whole = combined(b, some, t.op(), left, last);
    for (int k = 0; k < whole.size(); k++) {
      var x = whole.get(k);
      var own = x.type().isArray() ? new Exp.Fresh(x) : new Exp.Copied(x);
      b.bindAll(List.of(t.results().get(k)), own);
    }
  }

  private static List<LoopParam> params(List<Var> vars, List<? extends Atom> inits) {
    var params = new ArrayList<LoopParam>();
    for (int k = 0; k < vars.size(); k++) {
      params.add(new LoopParam(vars.get(k), inits.get(k)));
    }
    return params;
  }

  /** What is on the left with the first row, if the condition holds, else that alone. */
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

  // Scans

  /** Brent and Kung's, in place: sums of ever larger blocks, then what lies between their ends. */
  private static void scan(Builder b, Atom width, Part t) {
    var own = t.elements().stream().map(e -> b.bind("level", new Exp.Fresh(e))).toList();
    var two = Atom.i64(2);
    var up =
        levels(
            b,
            t.op(),
            new Levels(Atom.i64(1), b.compare(CompareOp.LE, two, width), own),
            (c, step) -> {
              var twice = c.mul(step, two);
              var count = c.binary(BinaryOp.QUOT, width, twice);
              var left = c.sub(step, Atom.i64(1));
              var right = c.sub(twice, Atom.i64(1));
              var more = c.compare(CompareOp.LE, c.mul(twice, two), width);
              return new Level(count, left, right, twice, twice, more);
            });
    var half = b.binary(BinaryOp.QUOT, up.step, two);
    var down =
        levels(
            b,
            t.op(),
            new Levels(half, b.compare(CompareOp.LE, Atom.i64(1), half), up.xs),
            (c, step) -> {
              var twice = c.mul(step, two);
              var count = c.binary(BinaryOp.QUOT, c.sub(width, step), twice);
              var left = c.sub(twice, Atom.i64(1));
              var right = c.add(left, step);
              var next = c.binary(BinaryOp.QUOT, step, two);
              return new Level(
                  count, left, right, twice, next, c.compare(CompareOp.LE, Atom.i64(1), next));
            });
    for (int k = 0; k < own.size(); k++) {
      b.bindAll(List.of(t.results().get(k)), new Exp.Copied(down.xs.get(k)));
    }
  }

  /** What a loop over levels begins with, or has left. */
  private record Levels(Atom step, Atom more, List<Var> xs) {}

  /**
   * One level: so many rows, from {@code right} on by the stride, are combined with those from
   * {@code left} on.
   */
  private record Level(Atom count, Atom left, Atom right, Atom stride, Atom next, Atom more) {}

  private interface NextLevel {
    Level of(Builder b, Var step);
  }

  private static Levels levels(Builder b, Lambda op, Levels start, NextLevel level) {
    var step = Names.fresh("step", Type.I64);
    var more = Names.fresh("more", Type.BOOL);
    var xs = start.xs.stream().map(Names::like).toList();
    var inner = b.inner();
    var l = level.of(inner, step);
    var sums = pairs(inner, op, xs, l.count, l.left, l.right, l.stride);
    var results = new ArrayList<>(List.of(l.next));
    for (int k = 0; k < xs.size(); k++) {
      var x = xs.get(k);
      var slice = rows(x, l.right, l.count, l.stride);
      results.add(inner.bind("level", x.type(), new Exp.Update(x, slice, sums.get(k), false)));
    }
    results.add(l.more);
    var params = new ArrayList<>(List.of(new LoopParam(step, start.step)));
    params.addAll(params(xs, start.xs));
    params.add(new LoopParam(more, start.more));
    var last = start.xs.stream().map(Names::like).toList();
    var pattern = new ArrayList<>(List.of(Names.like(step)));
    pattern.addAll(last);
    pattern.add(Names.like(more));
    b.bindAll(pattern, new Loop(params, new While(more), inner.body(results)));
    return new Levels(pattern.getFirst(), pattern.getLast(), last);
  }

  // Levels

  private static Type row(Var array) {
    return ((Type.Array) array.type()).row();
  }

  /** So many pairs combined, of rows left, left + stride, ... and right, right + stride, ... */
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
