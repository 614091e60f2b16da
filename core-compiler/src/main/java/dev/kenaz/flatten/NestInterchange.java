package dev.kenaz.flatten;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.segir.SegBody;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegStm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Interchanges control flow that is the same at all points of a nest with the nest: a loop around
 * the maps carries arrays over the nest, {@code map (\x -> loop y = x for i < n do f y)} is {@code
 * loop ys = xs for i < n do map f ys}, and an accumulation around them has the nest's dimensions
 * too.
 */
record NestInterchange(Distribution distribution, Stm stm) {

  SegBody body() {
    var exp =
        switch (stm.exp()) {
          case If i ->
              new SegExp.Branch(
                  i.condition(), inside(nest(), i.then()), inside(nest(), i.otherwise()));
          case Loop l -> loop(l);
          case WithAcc w -> accumulation(w);
          default -> throw new CompilerBug("flatten", "no control flow");
        };
    var results =
        stm.pattern().stream().map(v -> Names.fresh(v.name(), nest().over(v.type()))).toList();
    return new SegBody(
        List.of(new SegStm(results, exp, stm.attrs(), stm.span())), List.copyOf(results));
  }

  private Nest nest() {
    return distribution.nest();
  }

  private SegBody inside(Nest nest, Body body) {
    return inside(nest, body, Map.of());
  }

  private SegBody inside(Nest nest, Body body, Map<Var, Var> owned) {
    var types = stm.pattern().stream().map(Var::type).toList();
    return Distribution.of(distribution.inner(), nest, body, types, owned);
  }

  private SegExp loop(Loop loop) {
    var nest = nest();
    var params = new ArrayList<LoopParam>();
    var overwritten = Aliases.of(loop.body()).consumed();
    var owned = new HashMap<Var, Var>();
    for (var p : loop.params()) {
      var type = p.var().type();
      var param = Names.fresh(p.var().name(), nest.over(type));
      if (overwritten.contains(p.var())) {
        owned.put(p.var(), param);
        params.add(new LoopParam(param, distribution.expanded(p.init(), type)));
      } else {
        params.add(new LoopParam(param, distribution.readOnly(p.init(), type)));
      }
      nest = nest.with(p.var(), param, stm.span());
    }
    return new SegExp.Iterate(params, loop.form(), inside(nest, loop.body(), owned));
  }

  private SegExp accumulation(WithAcc w) {
    var inputs = new ArrayList<AccInput>();
    var accs = new ArrayList<Var>();
    var nest = nest();
    var types = new ArrayList<Type>();
    var body = w.body().body();
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      var arrays = in.arrays().stream().map(distribution::owned).toList();
      inputs.add(new AccInput(over(in.space()), arrays, in.combine()));
      var wider = new Wider(((Type.Acc) w.body().params().get(k).type()).token(), nest);
      var param = wider.binder(w.body().params().get(k));
      body = wider.body(body);
      accs.add(Names.like(param));
      types.add(param.type());
      nest = nest.with(param, accs.get(k), stm.span());
    }
    w.body().returns().subList(types.size(), w.body().returns().size()).forEach(types::add);
    var inside = Distribution.of(distribution.inner(), nest, body, types);
    return new SegExp.Accumulate(inputs, accs, inside);
  }

  private List<Atom> over(List<Atom> space) {
    return Lists.concat(nest().widths(), space);
  }

  /** Gives an accumulator the nest's dimensions too, of which each update knows its own indices. */
  private record Wider(int token, Nest nest) implements Rewriter {
    @Override
    public Type type(Type type) {
      var t = Rewriter.super.type(type);
      if (!(t instanceof Type.Acc a) || a.token() != token) {
        return t;
      }
      var space = new ArrayList<>(nest.widths());
      space.addAll(a.space());
      return new Type.Acc(token, space, a.elems());
    }

    @Override
    public Exp exp(Exp exp) {
      if (!(exp instanceof UpdateAcc(var acc, var indices, var values))
          || ((Type.Acc) acc.type()).token() != token) {
        return Rewriter.super.exp(exp);
      }
      List<Atom> all = Lists.concat(nest.indices(), atoms(indices));
      return new UpdateAcc(var(acc), all, atoms(values));
    }
  }
}
