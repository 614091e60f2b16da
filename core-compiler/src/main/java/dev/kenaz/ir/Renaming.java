package dev.kenaz.ir;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Copies code with fresh binders everywhere, replacing given free variables on the way. */
public final class Renaming implements Rewriter {
  private final Map<Var, Atom> renamed;
  private final Map<Integer, Integer> tokens = new HashMap<>();

  public Renaming() {
    this(Map.of());
  }

  public Renaming(Map<Var, ? extends Atom> replacements) {
    this.renamed = new HashMap<>(replacements);
  }

  /**
   * Returns the lambda's body as if it were called with these arguments. All variables that it
   * binds are fresh.
   */
  public static Body call(Lambda lambda, List<? extends Atom> arguments) {
    var map = new HashMap<Var, Atom>();
    for (int i = 0; i < lambda.params().size(); i++) {
      map.put(lambda.params().get(i), arguments.get(i));
    }
    return new Renaming(map).body(lambda.body());
  }

  @Override
  public Atom atom(Atom atom) {
    if (!(atom instanceof Var v)) {
      return atom;
    }
    var replacement = renamed.get(v);
    return replacement != null ? replacement : v.withType(type(v.type()));
  }

  @Override
  public Var binder(Var v) {
    var fresh = Names.fresh(v.name(), type(v.type()));
    renamed.put(v, fresh);
    return fresh;
  }

  @Override
  public Type type(Type type) {
    return switch (type) {
      case Type.Scalar s -> s;
      case Type.Array a -> Rewriter.super.type(a);
      case Type.Acc a ->
          new Type.Acc(token(a), atoms(a.space()), a.elems().stream().map(this::type).toList());
    };
  }

  @Override
  public Exp exp(Exp exp) {
    if (exp instanceof Exp.WithAcc w) {
      // this copy makes accumulators of its own
      for (var param : w.body().params()) {
        if (param.type() instanceof Type.Acc a) {
          tokens.put(a.token(), Names.freshTag());
        }
      }
    }
    return Rewriter.super.exp(exp);
  }

  private int token(Type.Acc acc) {
    return tokens.getOrDefault(acc.token(), acc.token());
  }
}
