package dev.kenaz.ir;

import java.util.HashSet;
import java.util.Set;

/** Finds the variables that code binds, at any depth. */
public final class Binders implements Rewriter {
  private final Set<Var> bound = new HashSet<>();

  private Binders() {}

  public static Set<Var> of(Body body) {
    var walk = new Binders();
    walk.body(body);
    return walk.bound;
  }

  public static Set<Var> of(Lambda lambda) {
    var walk = new Binders();
    walk.lambda(lambda);
    return walk.bound;
  }

  public static Set<Var> of(Exp exp) {
    var walk = new Binders();
    walk.exp(exp);
    return walk.bound;
  }

  @Override
  public Var binder(Var v) {
    bound.add(v);
    return v;
  }
}
