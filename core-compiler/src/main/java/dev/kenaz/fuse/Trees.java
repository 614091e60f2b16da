package dev.kenaz.fuse;

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
import dev.kenaz.ir.Exp.Concat;
import dev.kenaz.ir.Exp.Index;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
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
 *   scan op ne xs    is  loop xs for s = 1, 2, 4, ... do xs[:s] ++ map2 op xs[:n-s] xs[s:]
 * </pre>
 *
 * <p>(A row without a partner is the first; it is combined with those on its left, which are in
 * {@code r} already.)
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
      case Screma s when !stm.attrs().contains(SEQUENTIAL) && ofArrays(s) -> {
        changed = true;
        yield new Split(stm, s).stms();
      }
      default -> List.of(stm);
    };
  }

  private static boolean ofArrays(Screma s) {
    return s.scans().stream().anyMatch(x -> ofArrays(x.op()))
        || s.reduces().stream().anyMatch(x -> ofArrays(x.op()));
  }

  private static boolean ofArrays(Lambda op) {
    return op.returns().stream().anyMatch(Type::isArray);
  }

  /** An operator of arrays, with what it is applied to, and what its results are called. */
  private record Tree(Lambda op, List<Atom> neutral, List<Var> elements, List<Var> results) {}

  /** One operator without those of arrays, whose operands it maps, and trees of these. */
  private static final class Split {
    private final Stm stm;
    private final Screma screma;
    private final List<Scan> scans = new ArrayList<>();
    private final List<Reduce> reduces = new ArrayList<>();
    private final List<Tree> scanTrees = new ArrayList<>();
    private final List<Tree> reduceTrees = new ArrayList<>();
    private final List<Integer> kept = new ArrayList<>();
    private final List<Integer> moved = new ArrayList<>();
    private final List<Var> elements = new ArrayList<>();

    Split(Stm stm, Screma screma) {
      this.stm = stm;
      this.screma = screma;
    }

    List<Stm> stms() {
      for (var s : screma.scans()) {
        if (ofArrays(s.op())) {
          scanTrees.add(tree(s.op(), s.neutral()));
        } else {
          scans.add(s);
          keep(s.neutral().size());
        }
      }
      for (var r : screma.reduces()) {
        if (ofArrays(r.op())) {
          reduceTrees.add(tree(r.op(), r.neutral()));
        } else {
          reduces.add(r);
          keep(r.neutral().size());
        }
      }
      int operands = at();
      var order = new ArrayList<>(kept);
      order.addAll(moved);
      var pattern = new ArrayList<Var>();
      kept.forEach(k -> pattern.add(stm.pattern().get(k)));
      pattern.addAll(elements);
      var map = screma.map();
      for (int k = operands; k < map.returns().size(); k++) {
        order.add(k);
        pattern.add(stm.pattern().get(k));
      }
      var results = order.stream().map(map.body().results()::get).toList();
      var types = order.stream().map(map.returns()::get).toList();
      var lambda = new Lambda(map.params(), new Body(map.body().stms(), results), types);
      var width = screma.width();
      var b = new Builder(stm.span());
      b.with(stm.attrs())
          .bindAll(pattern, new Screma(width, screma.inputs(), scans, reduces, lambda));
      scanTrees.forEach(t -> scan(b, width, t));
      reduceTrees.forEach(t -> reduce(b, width, t));
      return b.stms();
    }

    /** The next operand. */
    private int at() {
      return kept.size() + moved.size();
    }

    private void keep(int n) {
      for (int k = 0; k < n; k++) {
        kept.add(at());
      }
    }

    private Tree tree(Lambda op, List<Atom> neutral) {
      var mine = new ArrayList<Var>();
      var results = stm.pattern().subList(at(), at() + neutral.size());
      for (int k = 0; k < neutral.size(); k++) {
        var type = screma.map().returns().get(at()).under(screma.width());
        mine.add(Names.fresh("level", type));
        moved.add(at());
      }
      elements.addAll(mine);
      return new Tree(op, neutral, mine, results);
    }
  }

  // Reductions

  private static void reduce(Builder b, Atom width, Tree t) {
    var m = Names.fresh("m", Type.I64);
    var more = Names.fresh("more", Type.BOOL);
    var xs = new ArrayList<Var>();
    var before = new ArrayList<Var>();
    for (var e : t.elements) {
      xs.add(Names.fresh("level", row(e).under(m)));
      before.add(Names.fresh("left", row(e)));
    }
    var inner = b.inner();
    var half = inner.binary(BinaryOp.QUOT, m, Atom.i64(2));
    var over = inner.binary(BinaryOp.REM, m, Atom.i64(2));
    var odd = inner.compare(CompareOp.EQ, over, Atom.i64(1));
    var results = new ArrayList<Atom>(List.of(half));
    var next = inner.add(over, Atom.i64(1));
    results.addAll(pairs(inner, t.op, xs, half, over, next, Atom.i64(2)));
    results.addAll(combined(inner, odd, t.op, before, xs));
    results.add(inner.compare(CompareOp.LT, Atom.i64(1), half));
    var params = new ArrayList<>(List.of(new LoopParam(m, width)));
    params.addAll(params(xs, t.elements));
    params.addAll(params(before, t.neutral));
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
    var whole = combined(b, some, t.op, left, last);
    for (int k = 0; k < whole.size(); k++) {
      var x = whole.get(k);
      var own = x.type().isArray() ? new Exp.Fresh(x) : new Exp.Copied(x);
      b.bindAll(List.of(t.results.get(k)), own);
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

  private static void scan(Builder b, Atom width, Tree t) {
    var step = Names.fresh("step", Type.I64);
    var more = Names.fresh("more", Type.BOOL);
    var xs = t.elements.stream().map(Names::like).toList();
    var inner = b.inner();
    var next = pairs(inner, t.op, xs, inner.sub(width, step), Atom.i64(0), step, Atom.i64(1));
    var twice = inner.mul(step, Atom.i64(2));
    var results = new ArrayList<>(List.of(twice));
    for (int k = 0; k < xs.size(); k++) {
      var head = slice(inner, xs.get(k), Atom.i64(0), step, Atom.i64(1));
      var joined = new Concat(0, List.of(head, next.get(k)), width);
      results.add(inner.bind("level", xs.get(k).type(), joined));
    }
    results.add(inner.compare(CompareOp.LT, twice, width));
    var params = new ArrayList<>(List.of(new LoopParam(step, Atom.i64(1))));
    var own = t.elements.stream().map(e -> b.bind("level", new Exp.Fresh(e))).toList();
    params.addAll(params(xs, own));
    params.add(new LoopParam(more, b.compare(CompareOp.LT, Atom.i64(1), width)));
    var pattern = new ArrayList<>(List.of(Names.fresh("step", Type.I64)));
    pattern.addAll(t.results);
    pattern.add(Names.fresh("more", Type.BOOL));
    b.bindAll(pattern, new Loop(params, new While(more), inner.body(results)));
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
    var dims = x.type().dims();
    var slice = new ArrayList<DimSlice>(List.of(new DimSlice.Range(from, count, stride)));
    for (var d : dims.subList(1, dims.size())) {
      slice.add(new DimSlice.Range(Atom.i64(0), d, Atom.i64(1)));
    }
    return b.bind("part", row(x).under(count), new Slice(x, slice, false));
  }
}
