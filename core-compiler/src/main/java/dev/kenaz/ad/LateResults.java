package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.Effects;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Leaves maps out of the forward sweep whose results only the function's own results need: the
 * return sweep executes them again anyhow, so its results are taken instead. The statements from
 * there to the function's results come last then. In 001 §4.1 the value beside the derivative costs
 * one more execution of everything.
 */
final class LateResults {
  private final Map<Var, Var> late;
  private final List<Stm> stms;
  private final Set<Var> early = new HashSet<>();

  private LateResults(Map<Var, Var> late, List<Stm> stms) {
    this.late = late;
    this.stms = stms;
  }

  /**
   * Whether leaving a map out is worth it: what loops do isn't shared otherwise, and neither are
   * minima and maxima, which the return sweep finds together with their places.
   */
  static boolean isWorthIt(Screma s) {
    return s.isMap()
        && s.inputs().stream().noneMatch(v -> v.type() instanceof Type.Acc)
        && s.map().body().stms().stream().anyMatch(t -> executesOtherwise(t.exp()));
  }

  private static boolean executesOtherwise(Exp exp) {
    return switch (exp) {
      case Loop _ -> true;
      case Hist h -> h.ops().stream().anyMatch(o -> Operators.isExtremum(o.op()));
      case Screma s ->
          s.scans().stream().anyMatch(o -> Operators.isExtremum(o.op()))
              || s.reduces().stream().anyMatch(o -> Operators.isExtremum(o.op()));
      default -> false;
    };
  }

  /**
   * Adds the statements, in the order that leaves out the most; returns the function's results.
   *
   * @param late for results of maps the return sweep's variables of the same values
   * @param results the function's results
   * @param adjoints the adjoints of its arguments
   */
  static List<Atom> emit(
      Builder b, List<Stm> stms, Map<Var, Var> late, List<Atom> results, List<Atom> adjoints) {
    var self = new LateResults(late, stms);
    adjoints.forEach(self::needed);
    self.slice();
    var out = new HashMap<Var, Var>();
    var after = self.after(results, out);
    if (out.isEmpty()) {
      b.addAll(stms);
      return results;
    }
    Set<Stm> moved = Collections.newSetFromMap(new IdentityHashMap<>());
    moved.addAll(after);
    for (var stm : stms) {
      if (!moved.contains(stm) && stm.pattern().stream().noneMatch(out::containsKey)) {
        b.add(stm);
      }
    }
    var now = new Substitution(out);
    after.forEach(stm -> b.addAll(now.stm(stm)));
    return results.stream().map(now::atom).toList();
  }

  private void needed(Atom x) {
    if (x instanceof Var v) {
      early.add(v);
      early.addAll(FreeVars.of(v.type()));
    }
  }

  /** Collects what the adjoints depend on. */
  private void slice() {
    for (var stm : stms.reversed()) {
      if (isEarly(stm) || Effects.observable(stm.exp()) && !isLate(stm)) {
        stm.pattern().forEach(this::needed);
        early.addAll(FreeVars.of(stm));
      }
    }
  }

  private boolean isEarly(Stm stm) {
    return stm.pattern().stream().anyMatch(early::contains);
  }

  private boolean isLate(Stm stm) {
    return !stm.pattern().isEmpty() && late.keySet().containsAll(stm.pattern());
  }

  /**
   * Finds the statements between such maps and the results, and fills in what replaces the maps'
   * results.
   */
  private List<Stm> after(List<Atom> results, Map<Var, Var> out) {
    var aliases = Aliases.of(stms);
    var moved = new HashSet<Var>();
    var after = new ArrayList<Stm>();
    for (var stm : stms) {
      if (isLate(stm) && !isEarly(stm)) {
        stm.pattern().forEach(v -> out.put(v, late.get(v)));
        moved.addAll(stm.pattern());
      } else if (FreeVars.of(stm).stream().anyMatch(moved::contains)) {
        boolean overwritten = FreeVars.of(stm).stream().anyMatch(aliases::isConsumed);
        if (overwritten || isEarly(stm)) {
          out.clear();
          return List.of();
        }
        after.add(stm);
        moved.addAll(stm.pattern());
      }
    }
    return after;
  }
}
