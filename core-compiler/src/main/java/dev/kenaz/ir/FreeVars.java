package dev.kenaz.ir;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the variables that code uses but does not bind, those of types included, in order of first
 * use.
 */
public final class FreeVars implements Rewriter {
  private final Set<Var> bound = new HashSet<>();
  private final Set<Var> used = new LinkedHashSet<>();

  private FreeVars() {}

  public static Set<Var> of(Body body) {
    var walk = new FreeVars();
    walk.body(body);
    return walk.free();
  }

  public static Set<Var> of(Lambda lambda) {
    var walk = new FreeVars();
    walk.lambda(lambda);
    return walk.free();
  }

  public static Set<Var> of(Exp exp) {
    var walk = new FreeVars();
    walk.exp(exp);
    return walk.free();
  }

  public static Set<Var> of(Stm stm) {
    var walk = new FreeVars();
    walk.stm(stm);
    return walk.free();
  }

  public static Set<Var> of(Type type) {
    var walk = new FreeVars();
    walk.type(type);
    return walk.free();
  }

  public static Set<Var> of(List<? extends Atom> atoms) {
    var walk = new FreeVars();
    atoms.forEach(walk::atom);
    return walk.free();
  }

  private Set<Var> free() {
    // binders are unique in a program, so what is bound anywhere in the walked code is not free in
    // it
    used.removeAll(bound);
    return used;
  }

  @Override
  public Atom atom(Atom atom) {
    if (atom instanceof Var v && used.add(v)) {
      type(v.type());
    }
    return atom;
  }

  @Override
  public Var binder(Var v) {
    bound.add(v);
    type(v.type());
    return v;
  }

  @Override
  public Type type(Type type) {
    switch (type) {
      case Type.Scalar _ -> {}
      case Type.Array a -> a.shape().forEach(this::atom);
      case Type.Acc a -> {
        a.space().forEach(this::atom);
        a.elems().forEach(this::type);
      }
    }
    return type;
  }
}
