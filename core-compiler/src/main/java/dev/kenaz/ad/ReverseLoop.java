package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Loops (001 §4.2). The forward sweep is the loop, which also saves its parameters at the entry of
 * every iteration. The return sweep is a loop over the iterations in reverse: it takes the
 * parameters from there, executes the body again and then its return sweep; carried are the
 * adjoints of the parameters and of the free variables.
 *
 * <p>Where we differ: only parameters that the body reads and changes are saved, and of arrays that
 * are updated in place only what is overwritten ({@link UndoLog}); results of contractions are
 * saved too ({@link Contractions}); only parameters that a wanted result depends on have adjoints;
 * a free variable's adjoint is carried only if the body adds to it. A while loop becomes a for loop
 * whose length an inspector counts first (001 §6.2).
 */
final class ReverseLoop {
  private ReverseLoop() {}

  static Reverse.Return forward(Reverse r, Builder b, Stm stm, Stm primal) {
    var loop = (Loop) stm.exp();
    var plain = (Loop) primal.exp();
    var other = VaryingShapes.fixed(b, stm, loop).or(() -> LoopAttributes.apply(b, stm, loop));
    if (other.isPresent()) {
      return r.forward(b, other.get());
    }
    For form =
        switch (loop.form()) {
          case For f -> f;
          case While _ -> new For(Names.fresh("i", Type.I64), Inspector.count(b, plain));
        };
    var slots = LoopAttributes.checkpoints(stm);
    if (slots.isPresent() && Checkpoints.apply(loop)) {
      var tape = Tape.of(again(b, loop, form, i64(slots.get())));
      r.plain(b, primal);
      return s -> new Back(r, s, stm, loop, form, tape).emit();
    }
    var n = length(b, form.bound());
    if (Budget.apply(r, loop) && !r.again().isInside(stm)) {
      return withinBudget(r, b, stm, plain, form, n);
    }
    var taped = taped(r, b, b, stm, plain, form, n);
    r.plain(b, new Stm(taped.pattern(), taped.loop(), stm.attrs(), stm.span()));
    return s -> new Back(r, s, stm, loop, form, taped.tape()).emit();
  }

  /** All is kept if there is room for that, and else as many checkpoints as there is room for. */
  private static Reverse.Return withinBudget(
      Reverse r, Builder b, Stm stm, Loop plain, For form, Atom n) {
    var loop = (Loop) stm.exp();
    var states = changing(loop).stream().map(k -> loop.params().get(k).var()).toList();
    var slots = Budget.slots(r, b, states);
    var checkpoints = Tape.of(again(b, loop, form, slots));
    // as many iterations as are kept: all or none
    var m = Names.fresh("m", Type.I64);
    var inner = b.inner();
    var taped = taped(r, b, inner, stm, plain, form, m);
    var fits = Budget.fits(r, b, stm.pattern(), taped.pattern(), n, m);
    Budget.emit(b, stm, plain, fits, inner, taped.pattern(), taped.loop());
    return s ->
        Budget.sweep(
            r,
            s,
            stm,
            fits,
            then -> new Back(r, then, stm, loop, form, taped.tape()).emit(),
            otherwise -> new Back(r, otherwise, stm, loop, form, checkpoints).emit());
  }

  /**
   * The loop that keeps what its return sweep needs.
   *
   * @param pattern the loop's results and then what it keeps
   */
  private record Taped(Tape tape, List<Var> pattern, Loop loop) {}

  /**
   * @param outer where sizes are computed
   * @param n for how many iterations there is room
   */
  private static Taped taped(
      Reverse r, Builder outer, Builder b, Stm stm, Loop plain, For form, Atom n) {
    var tape = Tape.of(Optional.empty());
    var params = new ArrayList<>(plain.params());
    var pattern = new ArrayList<>(stm.pattern());
    var results = new ArrayList<>(plain.body().results());
    var inner = b.inner();
    var at = inner.convert(Prim.I64, form.i());
    var readLogs =
        r.options.generalOnly()
            ? Set.<Var>of()
            : LoopReads.find(
                r,
                outer,
                b,
                new Stm(stm.pattern(), plain, stm.attrs(), stm.span()),
                n,
                tape.reads());
    var body = LoopReads.keep(inner, plain.body(), at, tape.reads(), params, pattern, results);
    var inside = UndoLog.Inside.of(r.forms(), new Loop(plain.params(), form, body));
    var logs = new ArrayList<UndoLog>();
    var kept = new ArrayList<Var>();
    for (int k : changing(plain)) {
      var p = plain.params().get(k).var();
      if (readLogs.contains(p)) {
        if (tape.reads().keySet().stream().noneMatch(l -> l.usesEnd() && l.start().equals(p))) {
          tape.writeOnly().add(p);
        }
        continue;
      }
      var log = UndoLog.of(body, body.results().get(k), p, inside);
      if (!p.type().isArray() || log.isEmpty()) {
        kept.add(p);
      } else if (isWriteOnly(body, log.get())) {
        tape.writeOnly().add(p);
      } else {
        logs.add(log.get());
      }
    }
    for (var p : kept) {
      var before = r.again().parameter(p);
      if (before.isEmpty()) {
        results.add(keep(b, inner, n, at, p, params, pattern));
      }
      tape.kept().put(p, before.orElseGet(pattern::getLast));
    }
    var logged =
        UndoLog.emit(inner, body.stms(), logs, inside, UndoLog.lengths(outer, logs, inside));
    for (int k = 0; k < logs.size(); k++) {
      tape.logs().put(logs.get(k).start(), logged.get(k));
      for (var v : logged.get(k).saved()) {
        if (!tape.kept().containsKey(v)) {
          results.add(keep(b, inner, n, at, v, params, pattern));
          tape.kept().put(v, pattern.getLast());
        }
      }
    }
    var values = new ArrayList<>(Contractions.of(body, inside.changing()));
    tape.reads().keySet().forEach(log -> values.addAll(log.results()));
    for (var v : values) {
      if (!tape.kept().containsKey(v)) {
        results.add(keep(b, inner, n, at, v, params, pattern));
        tape.kept().put(v, pattern.getLast());
        tape.contractions().add(v);
      }
    }
    return new Taped(tape, pattern, new Loop(params, form, inner.body(results)));
  }

  /** Nothing is kept but where the loop starts. */
  private static Optional<Checkpoints> again(Builder b, Loop loop, For form, Atom slots) {
    var changing = changing(loop);
    var starts = new ArrayList<Atom>();
    for (int k : changing) {
      var init = loop.params().get(k).init();
      boolean array = init instanceof Var v && v.type().isArray();
      starts.add(array ? b.bind("start", new Fresh((Var) init)) : init);
    }
    return Optional.of(new Checkpoints(loop, form, changing, starts, slots));
  }

  /**
   * What the return sweep gets from the forward sweep.
   *
   * @param kept for variables of the body the array of their values, one an iteration
   * @param logs for arrays that are updated in place how to undo that
   * @param writeOnly arrays that are only written
   * @param reads the arrays with what is read of arrays that are updated in place
   * @param contractions variables that are kept and so need not be computed again
   * @param checkpoints how to get the parameters by executing iterations again, if nothing is kept
   */
  private record Tape(
      Map<Var, Var> kept,
      Map<Var, UndoLog.Logged> logs,
      Set<Var> writeOnly,
      Map<ReadLog, Map<Var, Var>> reads,
      Set<Var> contractions,
      Optional<Checkpoints> checkpoints) {
    static Tape of(Optional<Checkpoints> checkpoints) {
      return new Tape(
          new HashMap<>(),
          new HashMap<>(),
          new HashSet<>(),
          new LinkedHashMap<>(),
          new HashSet<>(),
          checkpoints);
    }
  }

  /** Keeps a variable's value of every iteration; the loop's result for that. */
  static Var keep(
      Builder b, Builder inner, Atom n, Atom at, Var v, List<LoopParam> params, List<Var> pattern) {
    var type = v.type().under(n);
    var init = b.bind("ck", new Scratch(v.type().elemPrim(), type.dims()));
    var param = Names.fresh("ck", type);
    params.add(new LoopParam(param, init));
    pattern.add(Names.fresh("ck", type));
    return inner.update(param, List.of(at), v);
  }

  /** Whether the body never reads the array that it updates. */
  private static boolean isWriteOnly(Body body, UndoLog log) {
    var chain = new HashSet<Var>(List.of(log.start()));
    var updates = new HashSet<Stm>();
    for (var step : log.steps()) {
      if (!(step instanceof UndoLog.Step.Single)) {
        return false;
      }
      chain.addAll(step.stm().pattern());
      updates.add(step.stm());
    }
    for (var stm : body.stms()) {
      var used =
          updates.contains(stm)
              ? FreeVars.of(List.of(((Update) stm.exp()).value()))
              : FreeVars.of(stm);
      if (used.stream().anyMatch(chain::contains)) {
        return false;
      }
    }
    return body.results().stream().filter(chain::contains).count() == 1;
  }

  /** How many iterations, as an i64 that isn't negative. */
  static Atom length(Builder b, Atom bound) {
    var n = b.convert(Prim.I64, bound);
    if (n instanceof dev.kenaz.ir.Const c) {
      return i64(Math.max(0, c.value().asLong()));
    }
    return b.binary(BinaryOp.MAX, n, i64(0));
  }

  /** The parameters that the body reads and changes, by position. */
  static List<Integer> changing(Loop loop) {
    var read = new HashSet<Var>();
    loop.body().stms().forEach(t -> read.addAll(FreeVars.of(t)));
    var result = new ArrayList<Integer>();
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i).var();
      boolean changes = !Again.origin(loop.body(), loop.body().results().get(i)).equals(p);
      if (read.contains(p) && changes && !(p.type() instanceof Type.Acc)) {
        result.add(i);
      }
    }
    return result;
  }

  /** The return sweep. */
  private record Back(Reverse r, Sweep s, Stm stm, Loop loop, For form, Tape tape) {

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
      keepContractions(body, states.values());
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

    /** What the body reads and the forward sweep, or that of a loop around, has kept. */
    private void readBefore(Builder b, Renaming renaming, Atom index) {
      var at = b.convert(Prim.I64, index);
      r.again().renamed(b, loop.body(), renaming, at);
      tape.reads()
          .forEach(
              (log, arrays) -> {
                var here = new HashMap<Var, ReadLog.Kept>();
                log.at(b, at, arrays).forEach((v, x) -> here.put((Var) renaming.atom(v), x));
                r.again().put(here);
                if (log.usesEnd()) {
                  r.again().putEnds(log.names().stream().map(v -> (Var) renaming.atom(v)).toList());
                }
              });
    }

    /** What the body computes that the forward sweep has kept. */
    private void keepContractions(Body body, Map<Var, Atom> values) {
      for (int k = 0; k < body.stms().size(); k++) {
        var old = loop.body().stms().get(k).pattern();
        for (int m = 0; m < old.size(); m++) {
          if (tape.contractions().contains(old.get(m))) {
            r.keep(body.stms().get(k).pattern().get(m), (Var) values.get(old.get(m)));
          }
        }
      }
    }

    /** An accumulator of the program keeps its adjoint through all iterations. */
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
          ? s.b.bind("own", new Fresh(v))
          : init;
    }

    /**
     * Arrays with logs: the return sweep carries their state, which it undoes once to get to the
     * iteration's entry, and after the iteration's execution once again.
     */
    private record States(
        Back back,
        List<LoopParam> params,
        List<Var> of,
        Map<Var, Atom> values,
        List<Var> executed,
        List<Atom> stack) {
      /** Loops within may undo what they did themselves. */
      void handOver(Body body) {
        var params = back.loop.params().stream().map(LoopParam::var).toList();
        for (var p : of) {
          back.r.handOver((Var) body.results().get(params.indexOf(p)));
        }
      }

      /** The states at the iteration's entry. */
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
          var now = r.isHandedOver(end) ? end : s.b.bind("own", new Fresh(end));
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

    /** A parameter that has no log. */
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
          return b.bind(v.name(), new Copied(stm.pattern().get(k)));
        }
      }
      // the same in every iteration, or never read; active or not by its own name
      return b.bind(v.name(), new Copied(p.init()));
    }

    private List<Var> free() {
      var params = new HashSet<Var>();
      loop.params().forEach(p -> params.add(p.var()));
      return r.activity.among(FreeVars.of(loop.body())).stream()
          .filter(v -> !params.contains(v) && !(v.type() instanceof Type.Acc))
          .toList();
    }

    /** The active parameters that a result with an adjoint depends on. */
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
          if (useful.contains(params.get(k).var())
              && loop.body().results().get(k) instanceof Var v) {
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
      var outs = s.b.with(stm.attrs()).bindAll("adj", exp);
      restored(outs.subList(outs.size() - states.results().size(), outs.size()));
      for (int k = 0; k < changed.size(); k++) {
        var v = changed.get(k);
        s.set(v, ReverseIf.replaced(s.get(v), outs.get(wanted.size() + k)));
      }
      // last, because a variable may be both free and an initial value
      for (int k = 0; k < wanted.size(); k++) {
        s.add(loop.params().get(wanted.get(k)).init(), outs.get(k), true);
      }
    }

    /** The arrays as they were before the loop. */
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
      return twice ? inner.b.bind("own", new Fresh((Var) x)) : x;
    }
  }
}
