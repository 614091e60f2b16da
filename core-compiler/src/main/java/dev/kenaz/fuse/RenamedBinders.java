package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Gives new names to some variables that code binds, so that the old ones can be bound outside it.
 */
record RenamedBinders(Map<Var, Var> names) implements Rewriter {
  static Lambda binders(Set<Var> vars, Lambda lambda) {
    var names = new HashMap<Var, Var>();
    vars.forEach(v -> names.put(v, Names.like(v)));
    return new RenamedBinders(names).lambda(lambda);
  }

  @Override
  public Atom atom(Atom atom) {
    return atom instanceof Var v && names.containsKey(v) ? names.get(v) : Rewriter.super.atom(atom);
  }

  @Override
  public Var binder(Var v) {
    return names.containsKey(v) ? names.get(v) : Rewriter.super.binder(v);
  }
}
