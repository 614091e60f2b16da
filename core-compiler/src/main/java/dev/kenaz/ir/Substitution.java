package dev.kenaz.ir;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replaces free variables by atoms, in types too. Binders keep their tags; use {@link Renaming} to
 * copy code into the same program a second time.
 */
public final class Substitution implements Rewriter {
  private final Map<Var, Atom> replacements;

  public Substitution(Map<Var, ? extends Atom> replacements) {
    this.replacements = Map.copyOf(replacements);
  }

  public static Substitution of(List<Var> from, List<? extends Atom> to) {
    var map = new HashMap<Var, Atom>();
    for (int i = 0; i < from.size(); i++) {
      map.put(from.get(i), to.get(i));
    }
    return new Substitution(map);
  }

  @Override
  public Atom atom(Atom atom) {
    if (!(atom instanceof Var v)) {
      return atom;
    }
    var replacement = replacements.get(v);
    return replacement != null ? replacement : v.withType(type(v.type()));
  }

  @Override
  public Type type(Type type) {
    return type instanceof Type.Scalar ? type : Rewriter.super.type(type);
  }
}
