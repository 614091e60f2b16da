package dev.kenaz.distribute;

import static dev.kenaz.error.ErrorCode.K8001;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The variables of a plan: in which order the steps bind them, and which of them steps read. */
final class PlanVariables {
  private PlanVariables() {}

  /** Returns what the plan's steps bind. A variable's place in the list is its number. */
  static List<Var> bound(Plan plan) {
    var all = new LinkedHashSet<Var>();
    bound(plan.steps(), all);
    return List.copyOf(all);
  }

  private static void bound(List<Plan.Step> steps, Set<Var> all) {
    for (var step : steps) {
      switch (step) {
        case Plan.Compute c -> all.addAll(c.outputs());
        case Plan.Stage s -> {
          all.addAll(s.outputs());
          all.addAll(s.gathered());
        }
        case Plan.Exchange e -> all.addAll(e.binds());
        case Plan.Repeat r -> {
          r.params().forEach(p -> all.add(p.var()));
          bound(r.body(), all);
          all.addAll(r.outputs());
        }
        case Plan.Choose c -> {
          bound(c.then().steps(), all);
          bound(c.otherwise().steps(), all);
          all.addAll(c.outputs());
        }
      }
    }
  }

  /**
   * Returns what is read after a point of the plan.
   *
   * @param path the number of the step that is under way; then, if that is a loop, the number of
   *     the step in it, and so on. The innermost loop is between two iterations.
   */
  static Set<Var> readAfter(Plan plan, List<Integer> path) {
    var read = new HashSet<Var>();
    add(plan.results(), read);
    var steps = plan.steps();
    for (int at : path) {
      // A stage that keeps rows runs again.
      steps.subList(0, at).stream().filter(PlanVariables::keepsRows).forEach(s -> read(s, read));
      steps.subList(at + 1, steps.size()).forEach(s -> read(s, read));
      var loop = (Plan.Repeat) steps.get(at);
      requireNoRows(loop.body());
      read(loop, read);
      loop.params().forEach(p -> read.add(p.var()));
      steps = loop.body();
    }
    return read;
  }

  /** Refuses loops with stages that keep rows: an engine has those, and no state. */
  private static void requireNoRows(List<Plan.Step> steps) {
    for (var step : steps) {
      if (step instanceof Plan.Repeat inner) {
        requireNoRows(inner.body());
      } else if (keepsRows(step)) {
        throw new Limitation(
            Diagnostic.of(
                K8001, Span.NONE, "the state of a loop whose stages keep rows can't be taken"));
      }
    }
  }

  /** Whether an engine has something of a step that isn't among the values of the run. */
  static boolean keepsRows(Plan.Step step) {
    return step instanceof Plan.Stage s && !s.kept().isEmpty();
  }

  private static void read(Plan.Step step, Set<Var> read) {
    switch (step) {
      case Plan.Compute c -> read.addAll(c.function().params());
      case Plan.Stage s -> {
        read.addAll(s.broadcast());
        read.addAll(s.combineWith());
      }
      case Plan.Exchange e -> read.addAll(e.needs());
      case Plan.Choose c -> {
        add(List.of(c.condition()), read);
        for (var branch : List.of(c.then(), c.otherwise())) {
          branch.steps().forEach(s -> read(s, read));
          add(branch.results(), read);
        }
      }
      case Plan.Repeat r -> {
        r.params().forEach(p -> add(List.of(p.init()), read));
        switch (r.form()) {
          case Exp.For(_, var bound) -> add(List.of(bound), read);
          case Exp.While(var condition) -> add(List.of(condition), read);
        }
        r.body().forEach(s -> read(s, read));
        add(r.results(), read);
      }
    }
  }

  private static void add(Collection<? extends Atom> atoms, Set<Var> vars) {
    for (var atom : atoms) {
      if (atom instanceof Var v) {
        vars.add(v);
      }
    }
  }
}
