package dev.kenaz.ir;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks code: every variable is bound once, before its uses and in their scope; uses carry the
 * binder's type; operands, lambdas and results fit (see {@link TypeRules}). All methods throw
 * {@link IllFormed}.
 *
 * <p>Sizes are compared only as far as constants tell: two different atoms may be equal at run time
 * because the program asserted it.
 */
public final class CodeVerifier {
  private final Map<String, FunDef> functions = new HashMap<>();
  private final Map<Var, Type> scope = new HashMap<>();
  private final Set<Var> bound = new HashSet<>();

  /** The function can be called from here on. */
  public void define(FunDef f) {
    IllFormed.require(
        functions.put(f.name(), f) == null, "function " + f.name() + " is defined twice");
  }

  // Scopes

  private void bind(Var v) {
    type(v.type());
    if (!bound.add(v)) {
      throw new IllFormed(v + " is bound twice");
    }
    scope.put(v, v.type());
  }

  public void bindAll(List<Var> vars) {
    vars.forEach(this::bind);
  }

  public void unbind(List<Var> vars) {
    vars.forEach(scope::remove);
  }

  /**
   * What the action binds may be bound again elsewhere, as only one of the places is translated.
   */
  public void alternative(Runnable action) {
    var before = Set.copyOf(bound);
    action.run();
    bound.retainAll(before);
  }

  public void use(Atom atom) {
    if (atom instanceof Var v) {
      var type = scope.get(v);
      if (type == null) {
        throw new IllFormed(
            v + (bound.contains(v) ? " is used out of its scope" : " is not bound"));
      }
      if (type != v.type() && !type.equals(v.type())) {
        throw new IllFormed(v + " is bound as " + type + " but used as " + v.type());
      }
    }
  }

  public void useAll(List<? extends Atom> atoms) {
    atoms.forEach(this::use);
  }

  public void type(Type type) {
    switch (type) {
      case Type.Scalar _ -> {}
      case Type.Array a -> a.shape().forEach(this::size);
      case Type.Acc a -> {
        a.space().forEach(this::size);
        a.elems().forEach(this::type);
      }
    }
  }

  private void size(Atom size) {
    use(size);
    if (!size.type().equals(Type.I64)) {
      throw new IllFormed("the size " + size + " is not an i64");
    }
  }

  // Code

  public void body(Body body) {
    for (var stm : body.stms()) {
      try {
        stm(stm);
      } catch (IllFormed e) {
        throw e.in(Printer.print(stm).strip() + "\n  at " + stm.span());
      }
    }
    useAll(body.results());
    body.stms().forEach(stm -> unbind(stm.pattern()));
  }

  private void stm(Stm stm) {
    new Operands().exp(stm.exp());
    bindAll(stm.pattern());
    TypeRules.statement(stm.pattern(), stm.exp());
    if (stm.exp() instanceof Exp.Apply call) {
      TypeRules.pattern(stm.pattern(), apply(call));
    }
  }

  /** Checks the expression; its results' types. */
  public List<Type> exp(Exp exp) {
    new Operands().exp(exp);
    TypeRules.expression(exp);
    return exp instanceof Exp.Apply call ? apply(call) : ResultTypes.of(exp);
  }

  private List<Type> apply(Exp.Apply call) {
    var f = functions.get(call.function());
    if (f == null) {
      throw new IllFormed("the function " + call.function() + " is not defined before its use");
    }
    TypeRules.agreeAll("argument", f.params().stream().map(Var::type).toList(), call.arguments());
    // sizes are the callee's: compared by rank and element only
    return f.returns();
  }

  public void lambda(Lambda lambda) {
    bindAll(lambda.params());
    lambda.returns().forEach(this::type);
    body(lambda.body());
    unbind(lambda.params());
    TypeRules.agreeAll("lambda's result", lambda.returns(), lambda.body().results());
  }

  /** Visits the parts of one expression, binding what it binds while inside. */
  private final class Operands implements Rewriter {
    @Override
    public Atom atom(Atom atom) {
      use(atom);
      return atom;
    }

    @Override
    public Type type(Type type) {
      CodeVerifier.this.type(type);
      return type;
    }

    @Override
    public Var binder(Var v) {
      bind(v);
      return v;
    }

    @Override
    public Body body(Body body) {
      CodeVerifier.this.body(body);
      return body;
    }

    @Override
    public Lambda lambda(Lambda lambda) {
      CodeVerifier.this.lambda(lambda);
      return lambda;
    }

    @Override
    public Exp loop(Exp.Loop loop) {
      var result = Rewriter.super.loop(loop);
      unbind(loop.params().stream().map(Exp.LoopParam::var).toList());
      if (loop.form() instanceof Exp.For(var i, _)) {
        scope.remove(i);
      }
      return result;
    }
  }
}
