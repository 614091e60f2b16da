package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rewrites code with accumulators to code without: loops carry the arrays themselves and update
 * them in place, one update after the other. That is how accumulators whose operator is not
 * addition are differentiated in reverse, as the return sweep must know what was there before each
 * update; no paper has them. The operator may be any, and the work stays that of the program, but
 * it is sequential.
 */
final class SequentialAccs {
  /** The accumulators that are taken apart, by their tokens. */
  private final Map<Integer, AccInput> inputs = new HashMap<>();

  /** The arrays that an accumulator stands for. */
  private final Map<Var, List<Var>> arrays = new HashMap<>();

  private SequentialAccs() {}

  /** Statements that compute the same as this one. */
  static List<Stm> of(Builder b, Stm stm) {
    var code = b.inner();
    new SequentialAccs().withAcc(code, stm, (WithAcc) stm.exp());
    return code.stms();
  }

  private void withAcc(Builder b, Stm stm, WithAcc w) {
    int n = w.inputs().size();
    for (int i = 0; i < n; i++) {
      var param = w.body().params().get(i);
      inputs.put(((Type.Acc) param.type()).token(), w.inputs().get(i));
      arrays.put(param, w.inputs().get(i).arrays());
    }
    w.body().body().stms().forEach(s -> stm(b, s));
    var results = expanded(w.body().body().results());
    for (int i = 0; i < results.size(); i++) {
      b.bindAll(List.of(stm.pattern().get(i)), new Alias(results.get(i)));
    }
  }

  private void stm(Builder b, Stm stm) {
    b.at(stm.span());
    switch (stm.exp()) {
      case UpdateAcc u when isTaken(u.acc()) -> arrays.put(stm.var(), update(b, u));
      case Alias(var x) when isTaken(x) -> arrays.put(stm.var(), arrays.get((Var) x));
      case Screma s when s.inputs().stream().anyMatch(this::isTaken) -> loop(b, stm, s);
      case If(var c, var then, var otherwise) when stm.pattern().stream().anyMatch(this::isTaken) ->
          b.with(stm.attrs())
              .bindAll(bound(stm.pattern()), new If(c, body(b, then), body(b, otherwise)));
      case Loop e when stm.pattern().stream().anyMatch(this::isTaken) -> {
        var inits = expanded(e.params().stream().map(LoopParam::init).toList());
        var vars = bound(e.params().stream().map(LoopParam::var).toList());
        b.with(stm.attrs())
            .bindAll(
                bound(stm.pattern()), new Loop(params(vars, inits), e.form(), body(b, e.body())));
      }
      case WithAcc w -> {
        var body = body(b, w.body().body());
        var returns = body.results().stream().map(Atom::type).toList();
        b.with(stm.attrs())
            .bindAll(
                bound(stm.pattern()),
                new WithAcc(w.inputs(), new Lambda(w.body().params(), body, returns)));
      }
      default -> b.add(stm);
    }
  }

  private Body body(Builder b, Body body) {
    var inner = b.inner();
    body.stms().forEach(s -> stm(inner, s));
    return inner.body(expanded(body.results()));
  }

  private boolean isTaken(Atom x) {
    return x.type() instanceof Type.Acc a && inputs.containsKey(a.token());
  }

  private List<Atom> expanded(List<? extends Atom> atoms) {
    var all = new ArrayList<Atom>();
    for (var x : atoms) {
      if (isTaken(x)) {
        all.addAll(arrays.get((Var) x));
      } else {
        all.add(x);
      }
    }
    return all;
  }

  /** Returns the variables, with arrays in place of accumulators. */
  private List<Var> bound(List<Var> pattern) {
    var all = new ArrayList<Var>();
    for (var v : pattern) {
      if (isTaken(v)) {
        var own = inputs.get(((Type.Acc) v.type()).token()).arrays();
        arrays.put(v, own.stream().map(Names::like).toList());
        all.addAll(arrays.get(v));
      } else {
        all.add(v);
      }
    }
    return all;
  }

  private static List<LoopParam> params(List<Var> vars, List<? extends Atom> inits) {
    var params = new ArrayList<LoopParam>();
    for (int i = 0; i < vars.size(); i++) {
      params.add(new LoopParam(vars.get(i), inits.get(i)));
    }
    return params;
  }

  private List<Var> update(Builder b, UpdateAcc u) {
    var input = inputs.get(((Type.Acc) u.acc().type()).token());
    var now = arrays.get(u.acc());
    return b.ifThenElse(
        ReverseScatter.inside(b, u.indices(), input.space()),
        now.stream().map(Var::type).toList(),
        in -> {
          List<? extends Atom> values = u.values();
          if (input.combine().isPresent()) {
            var both = new ArrayList<Atom>();
            for (var a : now) {
              var old = in.bind("old", new Index(a, u.indices(), false));
              both.add(old.type().isArray() ? in.bind("old", new Copy(old)) : old);
            }
            both.addAll(u.values());
            values = in.call(input.combine().get().op(), both);
          }
          var after = new ArrayList<Var>();
          for (int k = 0; k < now.size(); k++) {
            after.add(in.update(now.get(k), u.indices(), values.get(k)));
          }
          return after;
        },
        _ -> now);
  }

  /** Makes a loop of a parallel operator that accumulates, which computes its other results too. */
  private void loop(Builder b, Stm stm, Screma s) {
    var i = Names.fresh("i", Type.I64);
    var inner = b.inner();
    var carried = new Carried(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int k = 0; k < s.inputs().size(); k++) {
      var input = s.inputs().get(k);
      var param = s.map().params().get(k);
      if (input.type().isArray()) {
        inner.bindAll(List.of(param), new Index(input, List.of(i), false));
      } else {
        var vars = bound(List.of(param));
        carried.params().addAll(params(vars, expanded(List.of(input))));
      }
    }
    s.map().body().stms().forEach(t -> stm(inner, t));
    var from = s.map().body().results();
    int at = 0;
    for (var scan : s.scans()) {
      int end = at + scan.neutral().size();
      for (var now :
          folded(inner, carried, scan.op(), scan.neutral(), from.subList(at, end), null)) {
        written(b, inner, carried, s.width(), i, now, stm.pattern().get(at++));
      }
    }
    for (var reduce : s.reduces()) {
      int end = at + reduce.neutral().size();
      var vars = stm.pattern().subList(at, end);
      folded(inner, carried, reduce.op(), reduce.neutral(), from.subList(at, end), vars);
      at = end;
    }
    var accs = new HashMap<Integer, List<Atom>>();
    var outs = new HashMap<Integer, List<Var>>();
    for (; at < from.size(); at++) {
      if (from.get(at).type() instanceof Type.Acc a) {
        accs.put(a.token(), expanded(List.of(from.get(at))));
        outs.put(a.token(), bound(List.of(stm.pattern().get(at))));
      } else {
        written(b, inner, carried, s.width(), i, from.get(at), stm.pattern().get(at));
      }
    }
    // the program has made them the first parameters
    var tokens = new ArrayList<Integer>();
    for (var input : s.inputs()) {
      if (input.type() instanceof Type.Acc a) {
        tokens.add(a.token());
      }
    }
    for (int token : tokens.reversed()) {
      carried.results().addAll(0, accs.get(token));
      carried.outs().addAll(0, outs.get(token));
    }
    b.with(stm.attrs())
        .bindAll(
            carried.outs(),
            new Loop(carried.params(), new For(i, s.width()), inner.body(carried.results())));
  }

  /** This is what a loop carries, in order: its parameters, their next values, its results. */
  private record Carried(List<LoopParam> params, List<Atom> results, List<Var> outs) {
    void add(Var param, Atom init, Atom result, Var out) {
      params.add(new LoopParam(param, init));
      results.add(result);
      outs.add(out);
    }
  }

  /** Computes the results so far of a reduction or scan, which are in {@code outs} at the end. */
  private static List<Atom> folded(
      Builder inner,
      Carried carried,
      Lambda op,
      List<Atom> neutral,
      List<Atom> row,
      List<Var> outs) {
    var before = neutral.stream().map(e -> Names.fresh("so", e.type())).toList();
    var now = inner.call(op, Lists.concat(before, row));
    for (int k = 0; k < before.size(); k++) {
      var out = outs == null ? Names.like(before.get(k)) : outs.get(k);
      carried.add(before.get(k), neutral.get(k), now.get(k), out);
    }
    return now;
  }

  /** Makes an array that holds the row of every iteration. */
  private static void written(
      Builder b, Builder inner, Carried carried, Atom width, Var i, Atom row, Var out) {
    var type = row.type().under(width);
    var init = b.bind("rows", type, new Scratch(type.elemPrim(), type.dims()));
    var param = Names.fresh("rows", type);
    carried.add(param, init, inner.update(param, List.of(i), row), out);
  }
}
