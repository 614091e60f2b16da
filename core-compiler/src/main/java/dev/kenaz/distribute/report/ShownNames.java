package dev.kenaz.distribute.report;

import dev.kenaz.distribute.Plan;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The names by which a plan's values are shown. The second value of a name is shown with a number
 * behind it, such as {@code soac.2}, so that two values never look the same.
 */
final class ShownNames {
  private final Map<Var, String> names = new HashMap<>();
  private final Set<String> used = new HashSet<>();

  /** Begins with what the user has named. */
  ShownNames(Plan plan) {
    plan.pieces().datasets().forEach(s -> same(s.rows(), s.total()));
    plan.sharded().forEach(this::of);
    plan.replicated().forEach(this::of);
  }

  String of(Var v) {
    var known = names.get(v);
    if (known == null) {
      known = v.name();
      for (int i = 2; !used.add(known); i++) {
        known = v.name() + "." + i;
      }
      names.put(v, known);
    }
    return known;
  }

  /** Says that two variables are one value to the user, such as what a loop carries and gives. */
  void same(Var v, Var other) {
    names.putIfAbsent(other, of(v));
  }
}
