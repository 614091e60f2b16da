package dev.kenaz.flatten;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.For;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Scratch;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.Update;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.MentionedVars;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp.SegMap;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Runs a map inside a nest in turns, if one thread runs it and its points are a batch of matrix
 * products: one point after the other, each with kernels over the nest alone.
 *
 * <pre>
 *   map (\x -> map (\w -> f x w) ws) xs
 *   loop all for k < n do all with [k] = map (\x -> f x ws[k]) xs
 * </pre>
 *
 * <p>What the kernels leave for each other at one point then stays in the first-level cache, and
 * rows of matrices are adjacent: over all points, rows would be as far apart as a power of two or
 * more. An array that a point makes is kept point by point for the same reason; scalars are kept in
 * the order that others read them, which is that of the nest.
 *
 * @param around the nest around the map
 * @param owned for an accumulator, the one outside of the nest
 */
record BatchLoop(
    InnerParallelism inner, Nest around, Screma s, Span span, UnaryOperator<Var> owned) {

  static boolean pays(FlattenOptions options, Nest around, Screma s) {
    return options.products()
        && options.workers() == 1
        && !around.dims().isEmpty()
        && s.isMap()
        && around.invariant(List.of(s.width()))
        && s.map().returns().stream().allMatch(around::regular)
        && NestedProducts.isBatch(around, s);
  }

  SegBody body() {
    var before = new ArrayList<SegStm>();
    var params = new ArrayList<LoopParam>();
    for (var type : s.map().returns()) {
      var init =
          type instanceof Type.Acc acc ? accumulator(acc) : bind("all", scratch(type), before);
      params.add(new LoopParam(Names.fresh(init.name(), init.type()), init));
    }
    var k = Names.fresh("k", Type.I64);
    var at = Distribution.of(inner, around, point(k, params), s.map().returns());
    var stms = new ArrayList<>(at.stms());
    var next = new ArrayList<Atom>();
    for (int r = 0; r < params.size(); r++) {
      var all = params.get(r).var();
      var value = at.results().get(r);
      next.add(
          all.type() instanceof Type.Acc ? value : updated(all, r, k, original(value, stms), stms));
    }
    var loop = new SegExp.Iterate(params, new For(k, s.width()), new SegBody(stms, next));
    var made = params.stream().map(p -> Names.like(p.var())).toList();
    before.add(new SegStm(made, loop, List.of(), span));
    var results = new ArrayList<Atom>();
    for (int r = 0; r < made.size(); r++) {
      results.add(byPoints(r) ? overNest(made.get(r), before) : made.get(r));
    }
    return new SegBody(before, results);
  }

  /** Returns what the map does at one of its points. */
  private Body point(Var k, List<LoopParam> params) {
    var names = new HashMap<Var, Atom>();
    var stms = new ArrayList<Stm>();
    for (int i = 0; i < s.inputs().size(); i++) {
      var xs = s.inputs().get(i);
      var x = s.map().params().get(i);
      if (xs.type() instanceof Type.Acc acc) {
        names.put(x, Blocks.carried(params, acc));
      } else {
        stms.add(new Stm(List.of(x), new Index(xs, List.of(k), false), span));
      }
    }
    stms.addAll(s.map().body().stms());
    return new Renaming(names).body(new Body(stms, s.map().body().results()));
  }

  private Var accumulator(Type.Acc acc) {
    return s.inputs().stream()
        .filter(v -> v.type() instanceof Type.Acc a && a.token() == acc.token())
        .findFirst()
        .map(owned)
        .orElseThrow();
  }

  // Arrays for the results of all points

  /** Whether the array for a result has the map's points outside of the nest's. */
  private boolean byPoints(int r) {
    return s.map().returns().get(r).isArray();
  }

  private Scratch scratch(Type type) {
    var dims =
        type.isArray()
            ? Lists.concat(List.of(s.width()), Lists.concat(around.widths(), type.dims()))
            : Lists.concat(around.widths(), List.of(s.width()));
    return new Scratch(type.elemPrim(), dims);
  }

  /**
   * Returns what a result is a copy of, which need not be made: the update copies it. A kernel must
   * have made it, and only kernels may read it, so that nothing overwrites it.
   */
  private static Atom original(Atom value, List<SegStm> stms) {
    for (var stm : stms) {
      if (stm.pattern().contains(value)
          && stm.exp() instanceof SegExp.Plain(Copy(var x))
          && stms.stream().noneMatch(s -> s != stm && mentions(s, value))
          && stms.stream().anyMatch(s -> isMap(s) && s.pattern().contains(x))
          && stms.stream().allMatch(s -> s == stm || isMap(s) || !mentions(s, x))) {
        stms.remove(stm);
        return x;
      }
    }
    return value;
  }

  private static boolean isMap(SegStm stm) {
    return stm.exp() instanceof SegExp.Par(SegMap _);
  }

  private static boolean mentions(SegStm stm, Atom value) {
    return MentionedVars.of(stm.exp()).contains(value);
  }

  private Var updated(Var all, int r, Var k, Atom value, List<SegStm> stms) {
    var slice = new ArrayList<DimSlice>();
    value.type().dims().forEach(d -> slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1))));
    slice.add(byPoints(r) ? 0 : slice.size(), new DimSlice.Fix(k));
    return bind(all.name(), new Update(all, slice, value, false), all.type(), stms);
  }

  private Var overNest(Var all, List<SegStm> stms) {
    int n = around.dims().size();
    int rank = all.type().dims().size();
    var perm = new ArrayList<>(IntStream.range(1, n + 1).boxed().toList());
    perm.add(0);
    IntStream.range(n + 1, rank).forEach(perm::add);
    var dims = perm.stream().map(d -> all.type().dims().get(d)).toList();
    var type = Type.scalar(all.type().elemPrim()).under(dims);
    return bind(all.name(), new Rearrange(perm, all), type, stms);
  }

  private Var bind(String name, Scratch exp, List<SegStm> stms) {
    return bind(name, exp, Type.scalar(exp.elem()).under(exp.shape()), stms);
  }

  private Var bind(String name, Exp exp, Type type, List<SegStm> stms) {
    var v = Names.fresh(name, type);
    stms.add(new SegStm(List.of(v), new SegExp.Plain(exp), List.of(), span));
    return v;
  }
}
