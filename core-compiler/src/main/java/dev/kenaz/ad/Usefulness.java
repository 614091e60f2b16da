package dev.kenaz.ad;

import dev.kenaz.ir.Body;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Var;
import java.util.HashSet;
import java.util.Set;

/** Finds what some variables' derivatives may depend on, by backward data flow. */
final class Usefulness {
  private Usefulness() {}

  /**
   * Returns what can be active and these results of the body may depend on, inside the body and
   * outside.
   */
  static Set<Var> of(Activity activity, Body body, Set<Var> results) {
    var useful = new HashSet<>(results);
    for (var stm : body.stms().reversed()) {
      if (stm.pattern().stream().anyMatch(useful::contains)) {
        for (var v : FreeVars.of(stm.exp())) {
          if (activity.differentiable(v.type())) {
            useful.add(v);
          }
        }
      }
    }
    return useful;
  }
}
