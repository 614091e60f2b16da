package dev.kenaz.distribute;

import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Loop;
import dev.kenaz.ir.Exp.LoopParam;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts loops and branches whose bodies need stages of their own. The driver decides about
 * iterations and branches. What a scope hands on is with the driver if it is replicated, and with
 * the engine if it has rows.
 */
final class NestedScopes {
  private final Cutter cutter;
  private final Labeller labeller;
  private final Spaces spaces;
  private final Schedule schedule;
  private final Stm stm;

  NestedScopes(Cutter cutter, Stm stm) {
    this.cutter = cutter;
    this.labeller = cutter.labeller();
    this.spaces = labeller.spaces();
    this.schedule = cutter.schedule();
    this.stm = stm;
  }

  void repeat(Loop loop) {
    var inner = cutter.inner();
    var params = new ArrayList<LoopParam>();
    int at = schedule.driverLevel(stm);
    for (var p : loop.params()) {
      boolean rows = hasRows(p.var());
      checkHandedOn(p.init(), rows, "a loop's " + p.var().name());
      label(p.var(), rows);
      if (rows) {
        at = Math.max(at, schedule.store((Var) p.init()));
        inner.schedule().given(p.var(), 0);
      } else {
        params.add(p);
      }
    }
    inner.placeAll(loop.body().stms());
    var rows = new ArrayList<Plan.CarriedRows>();
    var outputs = new ArrayList<Var>();
    var results = new ArrayList<Atom>();
    for (int i = 0; i < loop.params().size(); i++) {
      var p = loop.params().get(i);
      var output = stm.pattern().get(i);
      var result = handedOn(inner, loop.body().results().get(i), hasRows(p.var()), p.var().name());
      if (hasRows(p.var())) {
        rows.add(new Plan.CarriedRows(p.var(), (Var) p.init(), (Var) result, output));
      } else {
        results.add(result);
        outputs.add(output);
      }
    }
    var steps = finished(inner, loop.body().results());
    int from = Math.max(at, inner.schedule().outerLevel());
    schedule.nested(
        new Plan.Repeat(params, loop.form(), steps, results, outputs, rows, stm.span()), from);
    stm.pattern().forEach(v -> bound(v, from + 1));
  }

  void choose(If branch) {
    labeller.everywhere(stm.span(), "the condition of a branch", List.of(branch.condition()));
    var then = cutter.inner();
    var otherwise = cutter.inner();
    var one = branch(then, branch.then());
    var two = branch(otherwise, branch.otherwise());
    int from =
        Math.max(
            schedule.driverLevel(stm),
            Math.max(then.schedule().outerLevel(), otherwise.schedule().outerLevel()));
    var outputs = stm.pattern().stream().filter(v -> !hasRows(v)).toList();
    var rows = stm.pattern().stream().filter(this::hasRows).toList();
    schedule.nested(new Plan.Choose(branch.condition(), one, two, outputs, rows, stm.span()), from);
    stm.pattern().forEach(v -> bound(v, from + 1));
  }

  private Plan.Branch branch(Cutter inner, Body body) {
    inner.placeAll(body.stms());
    var results = new ArrayList<Atom>();
    var rows = new ArrayList<Var>();
    for (int i = 0; i < body.results().size(); i++) {
      var v = stm.pattern().get(i);
      var result = handedOn(inner, body.results().get(i), hasRows(v), v.name());
      if (hasRows(v)) {
        rows.add((Var) result);
      } else {
        results.add(result);
      }
    }
    return new Plan.Branch(finished(inner, body.results()), results, rows);
  }

  private List<Plan.Step> finished(Cutter inner, List<Atom> results) {
    var steps = inner.schedule().steps(results);
    if (!inner.gathered().isEmpty() && steps.stream().noneMatch(NestedScopes::hasStage)) {
      throw new Limitation(inner.gathered().getFirst().why());
    }
    cutter.gatheredBy(inner);
    return steps;
  }

  private static boolean hasStage(Plan.Step step) {
    return switch (step) {
      case Plan.Compute _ -> false;
      case Plan.Stage _, Plan.Exchange _ -> true;
      case Plan.Repeat r -> r.body().stream().anyMatch(NestedScopes::hasStage);
      case Plan.Choose c ->
          c.then().steps().stream().anyMatch(NestedScopes::hasStage)
              || c.otherwise().steps().stream().anyMatch(NestedScopes::hasStage);
    };
  }

  private boolean hasRows(Var v) {
    return spaces.inType(v.type());
  }

  private void label(Var v, boolean rows) {
    labeller.label(
        stm.span(),
        v,
        rows ? new Label.Sharded(Math.max(0, spaces.dimOf(v.type()))) : Label.REPLICATED);
  }

  private void bound(Var v, int at) {
    boolean rows = hasRows(v);
    label(v, rows);
    if (rows) {
      schedule.given(v, at);
    } else {
      schedule.bound(v, at);
    }
  }

  /** Returns what a scope hands on; if it has rows, the engine has it at the end of the scope. */
  private Atom handedOn(Cutter inner, Atom result, boolean rows, String name) {
    checkHandedOn(result, rows, "the next " + name);
    if (rows) {
      inner.schedule().store((Var) result);
    }
    return result;
  }

  private void checkHandedOn(Atom x, boolean rows, String what) {
    boolean fits =
        rows
            ? labeller.of(x) instanceof Label.Sharded(var dim) && dim == spaces.dimOf(x.type())
            : labeller.of(x) == Label.REPLICATED;
    if (!fits) {
      throw Undistributable.at(
          stm.span(),
          what + " is spread over the pieces in another way than its type says",
          "carry values with the dataset's rows, or values that don't depend on them");
    }
  }
}
