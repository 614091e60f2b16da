package dev.kenaz.simplify;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pass.Tally;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Simplifies parallel operators: replaces parameters whose rows are known, takes out results that
 * need no operator, such as {@code map (\x -> x) xs = xs}, and removes unused accumulators.
 */
public final class SoacRules {
  private final Simplifier simplifier;
  private final Env env;
  private final Ranges ranges;

  SoacRules(Simplifier simplifier, Env env, Ranges ranges) {
    this.simplifier = simplifier;
    this.env = env;
    this.ranges = ranges;
  }

  // Screma

  void screma(Screma s, Stm stm) {
    var width = env.current(s.width());
    if (width.isConst(0) && s.inputs().stream().noneMatch(v -> v.type() instanceof Type.Acc)) {
      simplifier.markChanged();
      empty(s, stm);
      return;
    }
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    inputs(s.inputs(), s.map(), kind(s), width, inputs, params);
    var scans =
        s.scans().stream()
            .map(x -> new Scan(simplifier.lambda(x.op()), simplifier.atoms(x.neutral())))
            .toList();
    var reduces =
        s.reduces().stream()
            .map(
                x ->
                    new Reduce(
                        simplifier.lambda(x.op()), simplifier.atoms(x.neutral()), x.commutative()))
            .toList();
    var map =
        simplifier.lambda(
            new Lambda(params, s.map().body(), s.map().returns()), () -> ranges.occupied(width));
    env.at(stm.span());
    results(new Screma(width, inputs, scans, reduces, map), stm);
  }

  /** The inputs and parameters that are left when known rows have replaced their parameters. */
  private void inputs(
      List<Var> given, Lambda map, String kind, Atom width, List<Var> inputs, List<Var> params) {
    for (int i = 0; i < given.size(); i++) {
      var in = (Var) env.current(given.get(i));
      var param = map.params().get(i);
      if (in.type() instanceof Type.Acc) {
        inputs.add(in);
        params.add(param);
        continue;
      }
      var row = knownRow(in);
      int same = inputs.indexOf(in);
      if (row.isPresent()) {
        simplifier.markChanged();
        Tally.count(kind + " ∘ replicate");
        env.replace(param, row.get());
      } else if (same >= 0 && (!env.isConsumed(in) || stay(map, param, params.get(same)))) {
        simplifier.markChanged();
        env.replace(param, params.get(same));
      } else {
        inputs.add(in);
        params.add(param);
        if (countsFromZero(in)) {
          ranges.runsBelow(param, width);
        }
      }
    }
  }

  /** Whether the function changes neither row, so that they stay equal. */
  private static boolean stay(Lambda map, Var x, Var y) {
    if (x.type().isScalar()) {
      return true;
    }
    var aliases = Aliases.of(map.body());
    return !aliases.isConsumed(x) && !aliases.isConsumed(y);
  }

  /** Returns the name that such an operator has in the literature. */
  public static String kind(Screma s) {
    if (s.isMap()) {
      return "map";
    }
    boolean plain = s.map().body().stms().isEmpty();
    return s.scans().isEmpty() ? plain ? "reduce" : "redomap" : plain ? "scan" : "scanomap";
  }

  private Optional<Atom> knownRow(Var in) {
    if (env.isConsumed(in) || !(env.exp(in) instanceof Replicate(var shape, var value))) {
      return Optional.empty();
    }
    if (env.isConsumed(value)) {
      return Optional.empty();
    }
    return Optional.of(
        shape.size() == 1
            ? value
            : env.emit("row", new Replicate(shape.subList(1, shape.size()), value)));
  }

  private boolean countsFromZero(Var in) {
    return env.exp(in) instanceof Iota i && i.isCounter() && i.start().type().equals(Type.I64);
  }

  private void empty(Screma s, Stm stm) {
    int k = 0;
    for (var scan : s.scans()) {
      for (int i = 0; i < scan.neutral().size(); i++) {
        emptyArray(stm.pattern().get(k++));
      }
    }
    for (var reduce : s.reduces()) {
      for (var ne : simplifier.atoms(reduce.neutral())) {
        var whole = stm.pattern().get(k++);
        boolean own = env.isConsumed(whole) || env.isConsumed(ne);
        env.replace(whole, own ? env.emit("own", new Copy((Var) ne)) : ne);
      }
    }
    while (k < stm.pattern().size()) {
      emptyArray(stm.pattern().get(k++));
    }
  }

  void filter(Filter f, Stm stm) {
    var width = env.current(f.width());
    if (width.isConst(0)) {
      simplifier.markChanged();
      env.replace(stm.pattern().getFirst(), Atom.i64(0));
      stm.pattern().subList(1, stm.pattern().size()).forEach(this::emptyArray);
      return;
    }
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    inputs(f.inputs(), f.map(), "filter", width, inputs, params);
    var lambda = new Lambda(params, f.map().body(), f.map().returns());
    var map = simplifier.lambda(lambda, () -> ranges.occupied(width));
    env.at(stm.span());
    simplifier.finish(stm.pattern(), new Filter(width, inputs, map), stm.attrs(), stm.span());
  }

  private void emptyArray(Var v) {
    var dims = simplifier.atoms(v.type().dims());
    env.replace(v, env.emit(v.name(), new Scratch(v.type().elemPrim(), dims)));
  }

  /** Takes out mapped results that are copies, repeated or invariant. */
  private void results(Screma whole, Stm given) {
    var apart = Components.separate(given, whole);
    apart.ifPresent(_ -> simplifier.markChanged());
    var stm = apart.orElse(given);
    var s = apart.map(a -> (Screma) a.exp()).orElse(whole);
    int first = s.scanWidth() + s.reduceWidth();
    var results = s.map().body().results();
    var bound = Stm.bound(s.map().body().stms());
    var kept = new ArrayList<Integer>();
    var after = new ArrayList<Runnable>();
    var idle = new HashSet<Atom>();
    for (int k = 0; k < results.size(); k++) {
      var made = k < first ? null : made(s, stm, k, bound.contains(results.get(k)));
      if (made == null) {
        kept.add(k);
      } else {
        simplifier.markChanged();
        if (results.get(k).type() instanceof Type.Acc) {
          idle.add(results.get(k));
        }
        int at = k;
        var pattern = List.of(stm.pattern().get(at));
        after.add(() -> simplifier.finish(pattern, current(made), stm.attrs(), stm.span()));
      }
    }
    var smaller = without(idle, s, s.map().pick(kept));
    if (!kept.isEmpty() || Effects.observable(smaller)) {
      simplifier.finish(Lists.pick(stm.pattern(), kept), smaller, stm.attrs(), stm.span());
    }
    after.forEach(Runnable::run);
  }

  /** Returns the operator with that function, without accumulators to which it adds nothing. */
  private static Screma without(Set<Atom> idle, Screma s, Lambda map) {
    var used =
        IntStream.range(0, map.params().size())
            .filter(i -> !idle.contains(map.params().get(i)))
            .boxed()
            .toList();
    var rest = new Lambda(Lists.pick(map.params(), used), map.body(), map.returns());
    return new Screma(s.width(), Lists.pick(s.inputs(), used), s.scans(), s.reduces(), rest);
  }

  private Exp current(Exp exp) {
    return exp instanceof Alias(var x) ? new Alias(env.current(x)) : exp;
  }

  /** Returns the expression by which a mapped result can be had otherwise, or null. */
  private Exp made(Screma s, Stm stm, int k, boolean boundInside) {
    var result = s.map().body().results().get(k);
    var whole = stm.pattern().get(k);
    int param = s.map().params().indexOf(result);
    if (result.type() instanceof Type.Acc) {
      // nothing is added to the accumulator
      return param >= 0 ? new Alias(s.inputs().get(param)) : null;
    }
    if (param >= 0) {
      var in = s.inputs().get(param);
      return env.isConsumed(in) || env.isConsumed(whole) ? new Copy(in) : new Alias(in);
    }
    if (!boundInside) {
      return env.isConsumed(result) ? null : new Replicate(List.of(s.width()), result);
    }
    int from = s.scanWidth() + s.reduceWidth();
    int same = s.map().body().results().subList(from, k).indexOf(result);
    if (same >= 0) {
      var earlier = stm.pattern().get(from + same);
      return env.isConsumed(earlier) || env.isConsumed(whole) ? null : new Alias(earlier);
    }
    return null;
  }

  // Accumulators

  void withAcc(WithAcc w, Stm stm) {
    var inputs = new ArrayList<AccInput>();
    for (int i = 0; i < w.inputs().size(); i++) {
      var in = w.inputs().get(i);
      var combine =
          in.combine()
              .map(c -> new Combine(simplifier.lambda(c.op()), simplifier.atoms(c.neutral())));
      inputs.add(new AccInput(simplifier.atoms(in.space()), simplifier.vars(in.arrays()), combine));
      var token = ((Type.Acc) w.body().params().get(i).type()).token();
      if (combine.filter(c -> Operators.isSum(c.op())).isPresent()) {
        env.setAdds(token);
      }
    }
    var body = simplifier.lambda(w.body());
    env.at(stm.span());
    dropIdle(new WithAcc(inputs, body), stm);
  }

  /** Removes accumulators that come back as they went in. */
  private void dropIdle(WithAcc w, Stm stm) {
    var kept = new ArrayList<Integer>();
    var pattern = new ArrayList<Var>();
    int at = 0;
    for (int i = 0; i < w.inputs().size(); i++) {
      var arrays = w.inputs().get(i).arrays();
      var vars = stm.pattern().subList(at, at + arrays.size());
      at += arrays.size();
      if (w.body().body().results().get(i).equals(w.body().params().get(i))) {
        simplifier.markChanged();
        simplifier.results(vars, List.copyOf(arrays));
      } else {
        kept.add(i);
        pattern.addAll(vars);
      }
    }
    var others = stm.pattern().subList(at, stm.pattern().size());
    var results = new ArrayList<>(kept);
    for (int k = w.inputs().size(); k < w.body().returns().size(); k++) {
      results.add(k);
    }
    if (kept.isEmpty()) {
      var body = w.body().body().pick(results);
      simplifier.results(others, simplifier.inline(new Body(body.stms(), body.results())));
      return;
    }
    pattern.addAll(others);
    var params = Lists.pick(w.body().params(), kept);
    var body =
        new Lambda(params, w.body().body().pick(results), Lists.pick(w.body().returns(), results));
    simplifier.finish(
        pattern, new WithAcc(Lists.pick(w.inputs(), kept), body), stm.attrs(), stm.span());
  }
}
