package dev.kenaz.ad;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.UnaryOp;

/**
 * Differentiates scalar statements: {@code y = f(x, …)} adds {@code ∂f/∂x · ȳ} to x̄ (001 §2.0.2
 * equation 3). The derivatives are in {@link ScalarDerivatives}.
 */
final class ReverseScalar {
  private ReverseScalar() {}

  static void emit(Sweep s, Stm stm) {
    var y = stm.var();
    if (s.isZero(y)) {
      return;
    }
    if (stm.exp() instanceof Alias(var x)) {
      s.add(x, s.take(y));
      return;
    }
    if (stm.exp() instanceof Trace(_, var x)) {
      s.add(x, s.take(y));
      return;
    }
    var v = s.takeValue(y);
    switch (stm.exp()) {
      case Unary(var op, var x) when op == UnaryOp.TO_BITS ->
          term(s, x, (b, d) -> b.unary(UnaryOp.FROM_BITS, d), v);
      case Unary(var op, var x) when op == UnaryOp.FROM_BITS ->
          term(s, x, (b, d) -> b.unary(UnaryOp.TO_BITS, d), v);
      case Unary(var op, var x) -> term(s, x, ScalarDerivatives.unary(op, x, y), v);
      case Binary(var op, var x, var z) -> {
        term(s, x, ScalarDerivatives.left(op, x, z, y), v);
        term(s, z, ScalarDerivatives.right(op, x, z, y), v);
      }
      case Fma(var x, var z, var w) -> {
        term(s, x, (b, d) -> b.mul(z, d), v);
        term(s, z, (b, d) -> b.mul(x, d), v);
        term(s, w, LinearMap.IDENTITY, v);
      }
      case Convert(_, var x) -> term(s, x, (b, d) -> b.convert(x.type().elemPrim(), d), v);
      default -> throw new CompilerBug("ad", "not a scalar statement: " + stm.exp());
    }
  }

  private static void term(Sweep s, Atom x, LinearMap derivative, Atom v) {
    if (s.activity.active(x) && !derivative.isZero()) {
      s.add(x, derivative.apply(s.b, v), true);
    }
  }
}
