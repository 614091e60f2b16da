package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What some results of a body that is run again and again depend on, over all its runs. */
final class Reach {
  private final Map<Var, Stm> makers = new HashMap<>();
  private final Map<Var, Atom> next;
  private final Set<Var> seen = new HashSet<>();
  private final List<Var> work = new ArrayList<>();

  /**
   * @param next for a parameter, the result that becomes its value in a later run
   */
  private Reach(Body body, Map<Var, Atom> next) {
    this.next = next;
    for (var stm : body.stms()) {
      stm.pattern().forEach(v -> makers.put(v, stm));
      if (Effects.observable(stm.exp())) {
        work.addAll(FreeVars.of(stm));
      }
    }
  }

  /** The variables that the roots and the body's effects depend on. */
  static Set<Var> of(Body body, Map<Var, Atom> next, List<? extends Atom> roots) {
    var reach = new Reach(body, next);
    roots.forEach(reach::add);
    reach.close();
    return reach.seen;
  }

  private void add(Atom atom) {
    if (atom instanceof Var v) {
      work.add(v);
    }
  }

  private void close() {
    Set<Stm> done = Collections.newSetFromMap(new IdentityHashMap<>());
    while (!work.isEmpty()) {
      var v = work.removeLast();
      if (!seen.add(v)) {
        continue;
      }
      work.addAll(FreeVars.of(v.type()));
      if (next.containsKey(v)) {
        add(next.get(v));
      }
      var maker = makers.get(v);
      if (maker != null && done.add(maker)) {
        work.addAll(FreeVars.of(maker));
      }
    }
  }
}
