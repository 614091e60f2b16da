package dev.kenaz.analysis;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * This is a backward slice of a scope: what some of its values need. With nothing but these
 * statements the values are the same. There may be more than they need: statements are taken whole,
 * so that a loop of which one result is needed brings what its others need.
 *
 * @param stms in their order
 * @param used the values themselves, and all that these statements use, inside and outside the
 *     scope
 */
public record BackwardSlice(List<Stm> stms, Set<Var> used) {

  /** Returns the slice without statements that matter only for their {@link Effects}. */
  public static BackwardSlice of(List<Stm> stms, Collection<? extends Atom> values) {
    return of(stms, values, false);
  }

  /** Returns the slice with all statements that can be observed, and what those need. */
  public static BackwardSlice withEffects(List<Stm> stms, Collection<? extends Atom> values) {
    return of(stms, values, true);
  }

  private static BackwardSlice of(
      List<Stm> stms, Collection<? extends Atom> values, boolean effects) {
    var used = new HashSet<>(FreeVars.of(List.copyOf(values)));
    var kept = new ArrayDeque<Stm>();
    for (var stm : stms.reversed()) {
      if (stm.pattern().stream().anyMatch(used::contains)
          || effects && Effects.observable(stm.exp())) {
        kept.addFirst(stm);
        used.addAll(FreeVars.of(stm));
      }
    }
    return new BackwardSlice(List.copyOf(kept), used);
  }
}
