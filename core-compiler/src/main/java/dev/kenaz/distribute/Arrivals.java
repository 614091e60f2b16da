package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Var;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Whether the driver must count the rows that a {@link Plan.Send} brings. It need not if all that
 * steps want to know is how many rows their own piece has: those are there.
 */
public final class Arrivals {
  private final Space arrived;
  private final Set<Var> counts;
  private boolean found;

  private Arrivals(Space arrived) {
    this.arrived = arrived;
    this.counts = Set.of(arrived.rows(), arrived.total(), arrived.cut());
  }

  /** Whether a step of the plan, or a result, needs the counts; or the step isn't the plan's. */
  public static boolean mustBeCounted(Plan plan, Plan.Send sent) {
    var arrivals = new Arrivals(sent.arrived());
    boolean needed = arrivals.among(plan.results()) || arrivals.neededBy(plan.steps());
    return needed || !arrivals.found;
  }

  private boolean among(List<? extends Atom> atoms) {
    return !Collections.disjoint(FreeVars.of(atoms), counts);
  }

  private boolean neededBy(List<Plan.Step> steps) {
    return steps.stream().anyMatch(this::neededBy);
  }

  private boolean neededBy(Plan.Step step) {
    return switch (step) {
      case Plan.Compute c -> among(c.function().params());
      case Plan.Stage s -> among(s.broadcast()) || among(s.combineWith()) || neededIn(s);
      case Plan.Recut r -> !Collections.disjoint(r.needs(), counts);
      case Plan.Fetch f -> f.source().equals(arrived);
      case Plan.Send s -> {
        found |= s.arrived().equals(arrived);
        yield s.target().equals(arrived);
      }
      case Plan.Choose c ->
          among(List.of(c.condition())) || neededIn(c.then()) || neededIn(c.otherwise());
      case Plan.Repeat r ->
          among(r.params().stream().map(Exp.LoopParam::init).toList())
              || among(List.of(bound(r.form())))
              || among(r.results())
              || neededBy(r.body());
    };
  }

  private boolean neededIn(Plan.Branch branch) {
    return among(branch.results()) || neededBy(branch.steps());
  }

  private static Atom bound(Exp.LoopForm form) {
    return switch (form) {
      case Exp.For(_, var trips) -> trips;
      case Exp.While(var condition) -> condition;
    };
  }

  /** A piece may need to know how many rows come before its own. */
  private boolean neededIn(Plan.Stage stage) {
    int space = stage.spaces().indexOf(arrived);
    return space >= 0
        && (stage.readOf(arrived).isEmpty()
            || FreeVars.of(stage.local().body()).contains(stage.before(space)));
  }
}
