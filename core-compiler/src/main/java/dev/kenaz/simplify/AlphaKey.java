package dev.kenaz.simplify;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Computes a form of an expression that is equal for expressions that compute the same: bound
 * variables are numbered from the outside in, commutative operands are ordered, spans and checks
 * forgotten.
 */
public final class AlphaKey implements Rewriter {
  private final Map<Var, Var> numbered = new HashMap<>();
  private int next = -1;

  private AlphaKey() {}

  /** Returns the form of a function, with its parameters numbered too. */
  public static Lambda of(Lambda lambda) {
    return new AlphaKey().lambda(lambda);
  }

  static Exp of(Exp exp) {
    return new AlphaKey().exp(exp);
  }

  @Override
  public Atom atom(Atom atom) {
    return atom instanceof Var v ? numbered.getOrDefault(v, v) : atom;
  }

  @Override
  public Var binder(Var v) {
    var n = new Var("", next--, type(v.type()));
    numbered.put(v, n);
    return n;
  }

  @Override
  public Type type(Type type) {
    return type instanceof Type.Scalar ? type : Rewriter.super.type(type);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    var exp = exp(stm.exp());
    return List.of(new Stm(binders(stm.pattern()), exp, List.of(), Span.NONE));
  }

  @Override
  public Exp exp(Exp exp) {
    return switch (exp) {
      case Binary(var op, var x, var y) when commutes(op) -> {
        var a = atom(x);
        var b = atom(y);
        yield rank(a) <= rank(b) ? new Binary(op, a, b) : new Binary(op, b, a);
      }
      case Index(var a, var is, _) -> new Index(var(a), atoms(is), false);
      case Slice(var a, var dims, _) ->
          new Slice(var(a), dims.stream().map(this::dim).toList(), false);
      default -> Rewriter.super.exp(exp);
    };
  }

  private static boolean commutes(BinaryOp op) {
    return op.isCommutativeMonoid() || op == BinaryOp.HYPOT || op == BinaryOp.MUL_HI;
  }

  private static long rank(Atom a) {
    return a instanceof Var v ? v.tag() : Long.MIN_VALUE;
  }
}
