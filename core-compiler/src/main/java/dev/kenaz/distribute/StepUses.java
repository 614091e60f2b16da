package dev.kenaz.distribute;

import dev.kenaz.ir.Exp;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Var;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects the variables that must be bound before a step, and what it takes of the engine. */
final class StepUses {
  private StepUses() {}

  static Set<Var> of(Plan.Step step) {
    var used = new LinkedHashSet<Var>();
    switch (step) {
      case Plan.Compute c -> used.addAll(c.function().params());
      case Plan.Stage s -> {
        used.addAll(s.broadcast());
        used.addAll(s.combineWith());
        used.addAll(s.reads());
        s.spaces().forEach(x -> used.add(x.cut()));
      }
      case Plan.Exchange e -> {
        used.addAll(e.reads());
        used.addAll(e.needs());
      }
      case Plan.Repeat r -> {
        r.params().forEach(p -> used.addAll(FreeVars.of(List.of(p.init()))));
        r.rows().forEach(p -> used.add(p.init()));
        r.rows().forEach(p -> used.add(p.result()));
        if (r.form() instanceof Exp.For(_, var bound)) {
          used.addAll(FreeVars.of(List.of(bound)));
        }
        r.body().forEach(s -> used.addAll(of(s)));
        used.addAll(FreeVars.of(r.results()));
      }
      case Plan.Choose c -> {
        used.addAll(FreeVars.of(List.of(c.condition())));
        for (var branch : List.of(c.then(), c.otherwise())) {
          branch.steps().forEach(s -> used.addAll(of(s)));
          used.addAll(FreeVars.of(branch.results()));
          used.addAll(branch.rows());
        }
      }
    }
    return used;
  }
}
