package dev.kenaz.ir;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Finds which functions code calls. */
final class Callees implements CodeRewriter {
  private final Set<String> found = new HashSet<>();

  private Callees() {}

  static Set<String> of(Body body) {
    var callees = new Callees();
    callees.body(body);
    return callees.found;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Exp.Apply(var name, _)) {
      found.add(name);
    }
    return CodeRewriter.super.stm(stm);
  }
}
