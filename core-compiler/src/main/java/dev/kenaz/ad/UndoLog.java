package dev.kenaz.ad;

import dev.kenaz.analysis.Affine;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Logs what a loop's body overwrites of an array that it updates in place, so that the updates can
 * be undone: the elements and, where the body computes them, the indices. Where updates happen in
 * branches, both branches' elements and the condition are kept.
 *
 * <p>001 §6.2 copies the array in every iteration unless the user declares that nothing is
 * overwritten that is read later. With a log the work stays that of the program, without a
 * declaration; and updates in branches save elements, not the array (a limitation in 001 §6.3).
 *
 * @param start the array before the updates
 * @param steps the updates that lead from it to the array after them
 */
record UndoLog(Var start, List<Step> steps) {

  /** A step is one link of the chain. */
  sealed interface Step {
    Stm stm();

    record Single(Stm stm, Update update) implements Step {}

    record Branch(Stm stm, If exp, UndoLog then, UndoLog otherwise) implements Step {}

    /**
     * A loop within, which logs each of its iterations; the code outside knows how often it runs.
     */
    record Nested(Stm stm, Loop loop, Var init, UndoLog each) implements Step {}
  }

  /**
   * What is bound in a loop's body.
   *
   * @param vars what is bound in it, except for indices of loops: undoing has these anyhow
   * @param changing those variables, and the loop's index and parameters
   */
  record Inside(AffineForms forms, Set<Var> vars, Set<Var> changing) {
    static Inside of(AffineForms forms, Loop loop) {
      forms.defineAll(loop);
      var vars = Binders.of(loop.body());
      vars.removeAll(indices(loop.body()));
      return new Inside(forms, vars, UndoLog.changing(loop));
    }

    boolean contains(Atom x) {
      return x instanceof Var v && vars.contains(v);
    }

    /**
     * Returns the most iterations that a loop within may have, if that is known before the loop.
     */
    Optional<Affine> most(For form) {
      return forms.most(form.bound(), changing);
    }
  }

  /** Makes the log if an array is only updated on its way to the result. */
  static Optional<UndoLog> of(Body body, Atom result, Var start, Inside inside) {
    var steps = new ArrayList<Step>();
    var at = result;
    while (!at.equals(start)) {
      var step = step(body, at, inside);
      if (step.isEmpty()) {
        return Optional.empty();
      }
      steps.addFirst(step.get());
      at =
          switch (step.get()) {
            case Step.Single(_, var update) -> update.array();
            case Step.Branch(_, _, var then, _) -> then.start();
            case Step.Nested(_, _, var init, _) -> init;
          };
    }
    return Optional.of(new UndoLog(start, steps));
  }

  private static Optional<Step> step(Body body, Atom result, Inside inside) {
    for (var stm : body.stms()) {
      int k = result instanceof Var v ? stm.pattern().indexOf(v) : -1;
      if (k >= 0) {
        return switch (stm.exp()) {
          case Update u when counts(u).stream().noneMatch(inside::contains) ->
              Optional.of(new Step.Single(stm, u));
          case If e -> branch(stm, e, k, inside);
          case Loop e -> nested(stm, e, k, inside);
          default -> Optional.empty();
        };
      }
    }
    return Optional.empty();
  }

  private static Optional<Step> nested(Stm stm, Loop loop, int k, Inside inside) {
    if (loop.form() instanceof For f
        && inside.most(f).isPresent()
        && loop.params().get(k).init() instanceof Var init) {
      var each = of(loop.body(), loop.body().results().get(k), loop.params().get(k).var(), inside);
      return each.map(log -> new Step.Nested(stm, loop, init, log));
    }
    return Optional.empty();
  }

  /** How often the loops within may run, by their statements. */
  static Map<Stm, Atom> lengths(Builder b, List<UndoLog> logs, Inside inside) {
    var all = new HashMap<Stm, Atom>();
    for (var log : logs) {
      for (var step : log.steps()) {
        switch (step) {
          case Step.Single _ -> {}
          case Step.Branch(_, _, var then, var otherwise) ->
              all.putAll(lengths(b, List.of(then, otherwise), inside));
          case Step.Nested(var stm, var loop, _, var each) -> {
            var most = inside.most((For) loop.form()).get().emit(b);
            all.put(stm, ReverseLoop.length(b, most));
            all.putAll(lengths(b, List.of(each), inside));
          }
        }
      }
    }
    return all;
  }

  /** Returns the variables that are sizes of what an update writes. */
  private static Set<Var> counts(Update u) {
    return FreeVars.of(u.value().type());
  }

  private static Optional<Step> branch(Stm stm, If e, int k, Inside inside) {
    var x = e.then().results().get(k);
    var y = e.otherwise().results().get(k);
    var start = origin(e.then(), x, inside).or(() -> origin(e.otherwise(), y, inside));
    var then = start.flatMap(v -> of(e.then(), x, v, inside));
    var otherwise = start.flatMap(v -> of(e.otherwise(), y, v, inside));
    return then.isPresent() && otherwise.isPresent()
        ? Optional.of(new Step.Branch(stm, e, then.get(), otherwise.get()))
        : Optional.empty();
  }

  /** Returns the variable from outside the body that the result is made of by updates. */
  private static Optional<Var> origin(Body body, Atom result, Inside inside) {
    if (!(result instanceof Var v)) {
      return Optional.empty();
    }
    if (body.stms().stream().noneMatch(s -> s.pattern().contains(v))) {
      return Optional.of(v);
    }
    return step(body, v, inside)
        .flatMap(
            s ->
                switch (s) {
                  case Step.Single(_, var update) -> origin(body, update.array(), inside);
                  case Step.Branch(_, _, var then, _) -> origin(body, then.start(), inside);
                  case Step.Nested(_, _, var init, _) -> origin(body, init, inside);
                });
  }

  private static Set<Var> indices(Body body) {
    var all = new HashSet<Var>();
    new Rewriter() {
      @Override
      public Exp exp(Exp exp) {
        if (exp instanceof Loop(_, For(var i, _), _)) {
          all.add(i);
        }
        return Rewriter.super.exp(exp);
      }
    }.body(body);
    return all;
  }

  /** Returns all variables that may be different in each iteration. */
  static Set<Var> changing(Loop loop) {
    var all = Binders.of(loop.body());
    loop.params().forEach(p -> all.add(p.var()));
    if (loop.form() instanceof For(var i, _)) {
      all.add(i);
    }
    return all;
  }

  /**
   * Computes the array before some updates from the array and the values of variables after them.
   */
  @FunctionalInterface
  interface Undo {
    Var emit(Builder b, Var after, Map<Var, Atom> values);
  }

  /**
   * What a log keeps.
   *
   * @param saved variables of the body that undoing needs
   */
  record Logged(List<Var> saved, List<Undo> undos) {
    Logged() {
      this(new ArrayList<>(), new ArrayList<>());
    }

    Var undo(Builder b, Var after, Map<Var, Atom> values) {
      return undo(b, after, undos.size(), values);
    }

    /** Computes what the array was before the first {@code steps} steps. */
    Var undo(Builder b, Var after, int steps, Map<Var, Atom> values) {
      var at = after;
      for (var u : undos.subList(0, steps).reversed()) {
        at = u.emit(b, at, values);
      }
      return at;
    }
  }

  /**
   * Emits a body's statements and what the logs need; returns that, for each log.
   *
   * @param lengths how often loops within run
   */
  static List<Logged> emit(
      Builder b, List<Stm> stms, List<UndoLog> logs, Inside inside, Map<Stm, Atom> lengths) {
    var logged = logs.stream().map(_ -> new Logged()).toList();
    for (var stm : stms) {
      var steps = new HashMap<Integer, Step>();
      for (int i = 0; i < logs.size(); i++) {
        int i0 = i;
        logs.get(i).steps().stream().filter(s -> s.stm() == stm).forEach(s -> steps.put(i0, s));
      }
      if (steps.isEmpty()) {
        b.add(stm);
      } else if (stm.exp() instanceof Update u) {
        steps.keySet().forEach(i -> update(b, u, inside, logged.get(i)));
        b.add(stm);
      } else if (stm.exp() instanceof If e) {
        branches(b, stm, e, steps, inside, lengths, logged);
      } else {
        NestedLog.emit(b, stm, steps, inside, lengths, logged);
      }
    }
    return logged;
  }

  private static void update(Builder b, Update u, Inside inside, Logged logged) {
    var checked = (Update) CheckedIndices.of(b, u);
    var read = b.bind("old", Sweep.slice(u.array(), checked.slice()));
    var old = read.type().isArray() ? b.bind("old", new Copy(read)) : read;
    logged.saved().add(old);
    for (var v : FreeVars.of(new Slice(u.array(), u.slice(), false))) {
      if (inside.contains(v) && v.type().isScalar() && !logged.saved().contains(v)) {
        logged.saved().add(v);
      }
    }
    logged
        .undos()
        .add(
            (c, after, values) -> {
              var known = new Substitution(values);
              var slice = new ArrayList<DimSlice>();
              u.slice().forEach(d -> slice.add(known.dim(d)));
              return c.bind("undone", new Update(after, slice, known.atom(old), false));
            });
  }

  private static void branches(
      Builder b,
      Stm stm,
      If e,
      Map<Integer, Step> steps,
      Inside inside,
      Map<Stm, Atom> lengths,
      List<Logged> logged) {
    var order = List.copyOf(steps.keySet());
    var branches = order.stream().map(i -> (Step.Branch) steps.get(i)).toList();
    var b1 = b.inner();
    var thens =
        emit(
            b1,
            e.then().stms(),
            branches.stream().map(Step.Branch::then).toList(),
            inside,
            lengths);
    var b2 = b.inner();
    var otherwise = branches.stream().map(Step.Branch::otherwise).toList();
    var others = emit(b2, e.otherwise().stms(), otherwise, inside, lengths);
    var results1 = new ArrayList<>(e.then().results());
    var results2 = new ArrayList<>(e.otherwise().results());
    var pattern = new ArrayList<>(stm.pattern());
    for (int k = 0; k < order.size(); k++) {
      var mine = logged.get(order.get(k));
      if (e.condition() instanceof Var c && inside.contains(c)) {
        mine.saved().add(c);
      }
      var from1 = exported(b2, thens.get(k).saved(), results1, results2, pattern);
      var from2 = exported(b1, others.get(k).saved(), results2, results1, pattern);
      mine.saved().addAll(from1.values());
      mine.saved().addAll(from2.values());
      mine.undos().add(undo(e, thens.get(k), others.get(k), from1, from2));
    }
    b.with(stm.attrs())
        .bindAll(pattern, new If(e.condition(), b1.body(results1), b2.body(results2)));
  }

  /** Makes variables of one branch results; in the other branch they are zero. */
  private static Map<Var, Var> exported(
      Builder otherBranch, List<Var> saved, List<Atom> here, List<Atom> there, List<Var> pattern) {
    var names = new HashMap<Var, Var>();
    for (var v : saved) {
      var out = Names.like(v);
      names.put(v, out);
      here.add(v);
      there.add(otherBranch.zero(v.type()));
      pattern.add(out);
    }
    return names;
  }

  private static Undo undo(
      If e, Logged then, Logged otherwise, Map<Var, Var> from1, Map<Var, Var> from2) {
    return (c, after, values) ->
        c.ifThenElse(
                new Substitution(values).atom(e.condition()),
                List.of(after.type()),
                in -> List.of(then.undo(in, after, renamed(from1, values))),
                in -> List.of(otherwise.undo(in, after, renamed(from2, values))))
            .getFirst();
  }

  private static Map<Var, Atom> renamed(Map<Var, Var> names, Map<Var, Atom> values) {
    var all = new HashMap<>(values);
    names.forEach((v, out) -> all.put(v, values.get(out)));
    return all;
  }
}
