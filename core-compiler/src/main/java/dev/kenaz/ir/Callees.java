package dev.kenaz.ir;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Which functions code calls. */
final class Callees implements Rewriter {
  private final Set<String> found = new HashSet<>();

  private Callees() {}

  static Set<String> of(Body body) {
    var callees = new Callees();
    callees.body(body);
    return callees.found;
  }

  @Override
  public Atom atom(Atom atom) {
    return atom;
  }

  @Override
  public Var binder(Var v) {
    return v;
  }

  @Override
  public Type type(Type type) {
    return type;
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Exp.Apply(var name, _)) {
      found.add(name);
    }
    return Rewriter.super.stm(stm);
  }
}
