package dev.kenaz.distribute;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Var;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The variables of a plan, those of the driver and of the engine: in which order the steps bind
 * them, and which of them the rest of a run needs.
 */
final class PlanVariables {
  /**
   * What the driver computes. If these are rows, a stage may store the pieces of them by the same
   * name; that doesn't give the driver what it has.
   */
  private final Set<Var> ofDriver;

  private PlanVariables(Plan plan) {
    this.ofDriver = computed(plan.steps());
  }

  /** Returns what the plan's steps bind. A variable's place in the list is its number. */
  static List<Var> bound(Plan plan) {
    return List.copyOf(bound(plan.steps(), Set.of()));
  }

  private static Set<Var> computed(List<Plan.Step> steps) {
    var all = new HashSet<Var>();
    for (var step : steps) {
      switch (step) {
        case Plan.Compute c -> all.addAll(c.outputs());
        case Plan.Stage _, Plan.Exchange _ -> {}
        case Plan.Repeat r -> all.addAll(computed(r.body()));
        case Plan.Choose c -> {
          all.addAll(computed(c.then().steps()));
          all.addAll(computed(c.otherwise().steps()));
        }
      }
    }
    return all;
  }

  /**
   * @param notStored what doesn't count as bound by a stage that stores it
   */
  private static Set<Var> bound(List<Plan.Step> steps, Set<Var> notStored) {
    var all = new LinkedHashSet<Var>();
    for (var step : steps) {
      switch (step) {
        case Plan.Compute c -> all.addAll(c.outputs());
        case Plan.Stage s -> {
          all.addAll(s.outputs());
          all.addAll(s.gathered());
          s.stored().stream().filter(v -> !notStored.contains(v)).forEach(all::add);
        }
        case Plan.Exchange e -> {
          all.addAll(e.binds());
          all.addAll(e.to());
        }
        case Plan.Repeat r -> {
          r.params().forEach(p -> all.add(p.var()));
          r.rows().forEach(p -> all.add(p.param()));
          all.addAll(bound(r.body(), notStored));
          all.addAll(r.outputs());
          r.rows().forEach(p -> all.add(p.output()));
        }
        case Plan.Choose c -> {
          all.addAll(bound(c.then().steps(), notStored));
          all.addAll(bound(c.otherwise().steps(), notStored));
          all.addAll(c.outputs());
          all.addAll(c.rows());
        }
      }
    }
    return all;
  }

  /**
   * Returns what the rest of a run needs.
   *
   * @param position as {@link PlanState#position}; the innermost loop is between two iterations
   */
  static Set<Var> neededAt(Plan plan, List<Long> position) {
    return new PlanVariables(plan).needed(plan, position);
  }

  private Set<Var> needed(Plan plan, List<Long> position) {
    var needed = new HashSet<Var>();
    for (int i = 0; i < plan.results().size(); i++) {
      if (!plan.shardedResults().get(i)) {
        needed.addAll(FreeVars.of(List.of(plan.results().get(i))));
      }
    }
    addNeeded(plan.steps(), position, needed);
    // A stage that keeps results runs again.
    plan.steps().subList(0, Math.toIntExact(position.getFirst())).reversed().stream()
        .filter(PlanVariables::keepsResults)
        .forEach(stage -> goBack(List.of(stage), needed));
    return needed;
  }

  /** Goes back from what is needed after some steps to what is needed at a position in them. */
  private void addNeeded(List<Plan.Step> steps, List<Long> position, Set<Var> needed) {
    int at = Math.toIntExact(position.getFirst());
    var inside = position.subList(2, position.size());
    goBack(steps.subList(at + 1, steps.size()), needed);
    needed.removeAll(bound(steps.subList(at, at + 1), ofDriver));
    switch (steps.get(at)) {
      case Plan.Repeat r -> {
        if (inside.isEmpty()) {
          r.rows().forEach(p -> needed.add(p.param()));
        } else {
          r.rows().forEach(p -> needed.add(p.result()));
          needed.addAll(FreeVars.of(r.results()));
          addNeeded(r.body(), inside, needed);
        }
        r.params().forEach(p -> needed.add(p.var()));
        if (r.form() instanceof Exp.For(_, var trips)) {
          needed.addAll(FreeVars.of(List.of(trips)));
        }
        // The iterations to come bind all that they need of each other.
        var again = new HashSet<Var>();
        goBack(r.body(), again);
        needed.addAll(again);
      }
      case Plan.Choose c -> {
        var branch = position.get(1) == 1 ? c.then() : c.otherwise();
        needed.addAll(FreeVars.of(branch.results()));
        needed.addAll(branch.rows());
        addNeeded(branch.steps(), inside, needed);
      }
      case Plan.Compute _, Plan.Stage _, Plan.Exchange _ ->
          throw new CompilerBug("distribute", "a run goes on inside of a step");
    }
  }

  /** Goes back from what is needed after some steps to what is needed before them. */
  private void goBack(List<Plan.Step> steps, Set<Var> needed) {
    for (var step : steps.reversed()) {
      needed.addAll(StepUses.of(step));
      needed.removeAll(bound(List.of(step), ofDriver));
    }
  }

  /** Whether a step makes results that stay in pieces. Such a stage is in no loop. */
  static boolean keepsResults(Plan.Step step) {
    return step instanceof Plan.Stage s && !s.kept().isEmpty();
  }
}
