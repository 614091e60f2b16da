package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Emits the return sweep of a loop (001 §4.2): a loop over the iterations in reverse, which gets
 * the parameters at an iteration's entry from the {@link LoopTape}, executes the body again, and
 * then continues with the body's return sweep. See {@link ReverseLoop}.
 */
record LoopReturn(Reverse r, Sweep s, Stm stm, Loop loop, For form, LoopTape tape) {

  void emit() {
    var pattern = stm.pattern();
    if (pattern.stream().allMatch(s::isZero)) {
      return;
    }
    var wanted = wanted();
    var renamed = new HashMap<Var, Atom>();
    var inner = s.inner();
    var i = Names.fresh("i", form.i().type());
    var states = restore(inner.b, i, renamed);
    var renaming = new Renaming(renamed);
    var body = renaming.body(loop.body());
    readBefore(inner.b, renaming, renamed.get(form.i()));
    var own = new HashSet<Var>();
    tape.logs().keySet().forEach(p -> own.add((Var) renamed.get(p)));
    tape.writeOnly().forEach(p -> own.add((Var) renamed.get(p)));
    own.addAll(states.executed());
    keepSums(body, states.values());
    var back = r.forwardInLoop(inner.b, body, own);
    states.handOver(body);
    var free = free();
    var carried = new ArrayList<LoopParam>();
    // the parameters' adjoints after the iteration are those of its results
    for (int k : wanted) {
      var init = s.result(pattern.get(k));
      s.take(pattern.get(k));
      var p = Names.fresh("adj", init.type());
      carried.add(new LoopParam(p, unshared(init, carried)));
    }
    for (var v : free) {
      var init = s.result(v);
      var p = Names.fresh("adj", init.type());
      carried.add(new LoopParam(p, unshared(init, carried)));
      inner.set(v, ReverseIf.replaced(s.get(v), p));
    }
    // after the free variables, one of which may be a result
    for (int k = 0; k < wanted.size(); k++) {
      inner.add(body.results().get(wanted.get(k)), carried.get(k).var(), true);
    }
    accumulators(inner, body);
    back.emit(inner);
    finish(
        inner,
        wanted,
        free,
        renamed,
        carried,
        i,
        new Carried(states.params(), states.undone(inner.b, body)));
  }

  /**
   * Makes code that is executed again use those reads that this loop's, or an outer loop's, forward
   * sweep has kept.
   */
  private void readBefore(Builder b, Renaming renaming, Atom index) {
    var at = b.convert(Prim.I64, index);
    r.again().renamed(b, loop.body(), renaming, at);
    tape.reads()
        .forEach(
            (log, arrays) -> {
              var here = new HashMap<Var, Saved>();
              log.at(b, at, arrays)
                  .forEach((v, x) -> here.put((Var) renaming.atom(v), x.renamed(renaming)));
              r.again().put(here);
              if (log.usesEnd()) {
                r.again().putEnds(log.names().stream().map(v -> (Var) renaming.atom(v)).toList());
              }
            });
  }

  /** Makes code that is executed again use those results that the forward sweep has kept. */
  private void keepSums(Body body, Map<Var, Atom> values) {
    for (int k = 0; k < body.stms().size(); k++) {
      var old = loop.body().stms().get(k).pattern();
      for (int m = 0; m < old.size(); m++) {
        if (tape.contractions().contains(old.get(m))) {
          r.keep(body.stms().get(k).pattern().get(m), (Var) values.get(old.get(m)));
        }
      }
    }
  }

  /** Passes on the adjoint of an accumulator of the program, which all iterations share. */
  private void accumulators(Sweep inner, Body body) {
    for (int k = 0; k < loop.params().size(); k++) {
      var out = stm.pattern().get(k);
      if (out.type() instanceof Type.Acc && !s.isZero(out)) {
        var adjoint = s.take(out);
        inner.set((Var) body.results().get(k), adjoint);
        s.set((Var) loop.params().get(k).init(), adjoint);
      }
    }
  }

  private Atom unshared(Atom init, List<LoopParam> others) {
    boolean shared = others.stream().anyMatch(p -> p.init().equals(init));
    return shared && init instanceof Var v && v.type().isArray()
        ? s.b.bind("own", new Copy(v))
        : init;
  }

  /**
   * These are the states of arrays with logs. The return sweep carries them; it undoes a state once
   * to get to the iteration's entry, and after the iteration's execution once again.
   */
  private record States(
      LoopReturn back,
      List<LoopParam> params,
      List<Var> of,
      Map<Var, Atom> values,
      List<Var> executed,
      List<Atom> stack) {
    /** Allows loops within the body to undo what they did themselves. */
    void handOver(Body body) {
      var params = back.loop.params().stream().map(LoopParam::var).toList();
      of.forEach(p -> back.r.handOver((Var) body.results().get(params.indexOf(p))));
    }

    /** Emits the states at the iteration's entry. */
    List<Atom> undone(Builder b, Body body) {
      var result = new ArrayList<Atom>(stack);
      for (var p : of) {
        var params = back.loop.params().stream().map(LoopParam::var).toList();
        var after = (Var) body.results().get(params.indexOf(p));
        var log = back.tape.logs().get(p);
        int steps = log.undos().size();
        var before = back.r.restored(after);
        result.add(
            before.isPresent()
                ? log.undo(b, before.get(), steps - 1, values)
                : log.undo(b, after, steps, values));
      }
      return result;
    }
  }

  /** Binds the parameters' values at the entry of the iteration. */
  private States restore(Builder b, Var i, Map<Var, Atom> renamed) {
    var one = Atom.of(form.i().type().elemPrim(), 1);
    var last = b.sub(form.bound(), one);
    var index = b.sub(last, i);
    renamed.put(form.i(), index);
    if (index instanceof Var v) {
      r.forms().range(v, form.bound());
    }
    var at = b.convert(Prim.I64, index);
    var values = new HashMap<Var, Atom>();
    tape.kept()
        .forEach((v, all) -> values.put(v, b.bind(v.name(), new Index(all, List.of(at), false))));
    var states =
        new States(
            this,
            new ArrayList<>(),
            new ArrayList<>(),
            values,
            new ArrayList<>(),
            new ArrayList<>());
    tape.checkpoints()
        .ifPresent(
            c -> {
              states.params().addAll(c.stack(s.b));
              var stack = states.params().stream().map(LoopParam::var).toList();
              var entry = c.entry(b, at, stack);
              values.putAll(entry.values());
              states.stack().addAll(entry.stack());
              for (var v : entry.values().values()) {
                if (v.type().isArray()) {
                  states.executed().add((Var) v);
                }
              }
            });
    for (var p : loop.params()) {
      if (!tape.logs().containsKey(p.var())) {
        renamed.put(p.var(), entry(b, p, values));
      }
    }
    values.putAll(renamed);
    for (int k = 0; k < loop.params().size(); k++) {
      var v = loop.params().get(k).var();
      if (tape.logs().containsKey(v)) {
        var state = Names.fresh("state", v.type());
        var end = stm.pattern().get(k);
        var now = r.isHandedOver(end) ? end : s.b.bind("own", new Copy(end));
        states.params().add(new LoopParam(state, now));
        states.of().add(v);
        renamed.put(v, tape.logs().get(v).undo(b, state, values));
      }
      if (r.activity.active(v)) {
        r.activity.mark((Var) renamed.get(v));
      }
    }
    return states;
  }

  /** Returns the value of a parameter that has no log at the entry of the iteration. */
  private Atom entry(Builder b, LoopParam p, Map<Var, Atom> values) {
    var v = p.var();
    if (values.get(v) instanceof Var kept) {
      return kept;
    }
    if (v.type() instanceof Type.Acc) {
      return Names.like(v);
    }
    if (tape.writeOnly().contains(v)) {
      // any contents will do
      return b.bind(v.name(), new Scratch(v.type().elemPrim(), v.type().dims()));
    }
    for (var log : tape.reads().keySet()) {
      if (log.start().equals(v) && log.usesEnd()) {
        int k = loop.params().indexOf(p);
        return b.bind(v.name(), new Alias(stm.pattern().get(k)));
      }
    }
    // it is the same in every iteration, or never read; its own name tells whether it is active
    return b.bind(v.name(), new Alias(p.init()));
  }

  private List<Var> free() {
    var params = new HashSet<Var>();
    loop.params().forEach(p -> params.add(p.var()));
    return r.activity.among(FreeVars.of(loop.body())).stream()
        .filter(v -> !params.contains(v) && !(v.type() instanceof Type.Acc))
        .toList();
  }

  /** Returns the active parameters that a result with an adjoint depends on. */
  private List<Integer> wanted() {
    var useful = new HashSet<Var>();
    var params = loop.params();
    int before;
    for (int k = 0; k < params.size(); k++) {
      if (!s.isZero(stm.pattern().get(k))) {
        useful.add(params.get(k).var());
      }
    }
    do {
      before = useful.size();
      var results = new HashSet<Var>();
      for (int k = 0; k < params.size(); k++) {
        if (useful.contains(params.get(k).var()) && loop.body().results().get(k) instanceof Var v) {
          results.add(v);
        }
      }
      var reached = Usefulness.of(r.activity, loop.body(), results);
      params.stream().map(LoopParam::var).filter(reached::contains).forEach(useful::add);
    } while (useful.size() > before);
    var result = new ArrayList<Integer>();
    for (int k = 0; k < params.size(); k++) {
      var v = params.get(k).var();
      if (useful.contains(v) && r.activity.active(v) && !(v.type() instanceof Type.Acc)) {
        result.add(k);
      }
    }
    return result;
  }

  private record Carried(List<LoopParam> params, List<Atom> results) {}

  private void finish(
      Sweep inner,
      List<Integer> wanted,
      List<Var> free,
      Map<Var, Atom> renamed,
      List<LoopParam> carried,
      Var i,
      Carried states) {
    var params = new ArrayList<LoopParam>();
    var results = new ArrayList<Atom>();
    var seen = new HashSet<Atom>();
    var changed = new ArrayList<Var>();
    for (int k = 0; k < wanted.size(); k++) {
      params.add(carried.get(k));
      var v = (Var) renamed.get(loop.params().get(wanted.get(k)).var());
      results.add(distinct(inner, inner.result(v), seen));
    }
    for (int k = 0; k < free.size(); k++) {
      var p = carried.get(wanted.size() + k);
      var now = inner.result(free.get(k));
      if (!now.equals(p.var())) {
        changed.add(free.get(k));
        params.add(p);
        results.add(distinct(inner, now, seen));
      }
    }
    if (params.isEmpty()) {
      return;
    }
    params.addAll(states.params());
    results.addAll(states.results());
    var exp = new Loop(params, new For(i, form.bound()), inner.b.body(results));
    // what the program says of its arrays isn't true of their adjoints
    var attrs =
        stm.attrs().stream().filter(a -> !a.name().equals(LoopAttributes.TRUE_DEP)).toList();
    var outs = s.b.with(attrs).bindAll("adj", exp);
    restored(outs.subList(outs.size() - states.results().size(), outs.size()));
    for (int k = 0; k < changed.size(); k++) {
      var v = changed.get(k);
      s.set(v, ReverseIf.replaced(s.get(v), outs.get(wanted.size() + k)));
    }
    // this comes last, because a variable may be both free and an initial value
    for (int k = 0; k < wanted.size(); k++) {
      s.add(loop.params().get(wanted.get(k)).init(), outs.get(k), true);
    }
  }

  /** Remembers the arrays as they were before the loop. */
  private void restored(List<Var> arrays) {
    int next = 0;
    for (int k = 0; k < loop.params().size(); k++) {
      if (tape.logs().containsKey(loop.params().get(k).var())) {
        r.restore(stm.pattern().get(k), arrays.get(next++));
      }
    }
  }

  private static Atom distinct(Sweep inner, Atom x, Set<Atom> seen) {
    boolean twice = !seen.add(x) && x.type().isArray();
    return twice ? inner.b.bind("own", new Copy((Var) x)) : x;
  }
}
