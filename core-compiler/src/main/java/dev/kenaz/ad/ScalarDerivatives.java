package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;

/**
 * This is the table of scalar derivatives, {@code ∂f/∂x} for {@code y = f(x, …)} in 001 equations 2
 * and 3. Where a function has a kink or a pole the table still gives a number;
 * docs/differentiation.md lists these conventions: {@code abs} has derivative 0 at 0, {@code min}
 * and {@code max} give all to the first of two equal arguments, rounding functions are constant,
 * {@code x ** 0} has derivative 0 by x, {@code 0 ** y} has derivative 0 by y, and {@code hypot} has
 * derivative 0 at the origin.
 */
final class ScalarDerivatives {
  private ScalarDerivatives() {}

  /** Returns the derivative of {@code y = op(x)}. */
  static LinearMap unary(UnaryOp op, Atom x, Atom y) {
    return switch (op) {
      case NEG -> LinearMap.MINUS;
      // for an integer, not is -1 - x
      case NOT -> x.type().elemPrim() == Prim.BOOL ? LinearMap.IDENTITY : LinearMap.MINUS;
      case TO_BITS, FROM_BITS -> (b, v) -> b.unary(op, v);
      case SGN, FLOOR, CEIL, ROUND, TRUNC, ISNAN, ISINF, POPC, CLZ, CTZ -> LinearMap.ZERO;
      case ABS -> (b, v) -> b.mul(b.unary(UnaryOp.SGN, x), v);
      case SQRT -> (b, v) -> b.div(b.mul(lit(x, 0.5), v), y);
      case CBRT -> (b, v) -> b.div(v, b.mul(lit(x, 3), b.mul(y, y)));
      case EXP -> (b, v) -> b.mul(y, v);
      case EXP2 -> (b, v) -> b.mul(b.mul(lit(x, StrictMath.log(2)), y), v);
      case EXP10 -> (b, v) -> b.mul(b.mul(lit(x, StrictMath.log(10)), y), v);
      case EXPM1 -> (b, v) -> b.mul(b.add(y, lit(x, 1)), v);
      case LOG -> (b, v) -> b.div(v, x);
      case LOG2 -> (b, v) -> b.div(v, b.mul(lit(x, StrictMath.log(2)), x));
      case LOG10 -> (b, v) -> b.div(v, b.mul(lit(x, StrictMath.log(10)), x));
      case LOG1P -> (b, v) -> b.div(v, b.add(lit(x, 1), x));
      case SIN -> (b, v) -> b.mul(b.unary(UnaryOp.COS, x), v);
      case COS -> (b, v) -> b.neg(b.mul(b.unary(UnaryOp.SIN, x), v));
      case TAN -> (b, v) -> b.mul(b.add(lit(x, 1), b.mul(y, y)), v);
      case ASIN -> (b, v) -> b.div(v, b.unary(UnaryOp.SQRT, oneMinusSquare(b, x)));
      case ACOS -> (b, v) -> b.neg(b.div(v, b.unary(UnaryOp.SQRT, oneMinusSquare(b, x))));
      case ATAN -> (b, v) -> b.div(v, b.add(lit(x, 1), b.mul(x, x)));
      case SINH -> (b, v) -> b.mul(b.unary(UnaryOp.COSH, x), v);
      case COSH -> (b, v) -> b.mul(b.unary(UnaryOp.SINH, x), v);
      case TANH -> (b, v) -> b.mul(oneMinusSquare(b, y), v);
      case ASINH -> (b, v) -> b.div(v, b.unary(UnaryOp.SQRT, b.add(b.mul(x, x), lit(x, 1))));
      case ACOSH ->
          (b, v) ->
              b.div(v, b.unary(UnaryOp.SQRT, b.mul(b.sub(x, lit(x, 1)), b.add(x, lit(x, 1)))));
      case ATANH -> (b, v) -> b.div(v, oneMinusSquare(b, x));
      case GAMMA -> (b, v) -> b.mul(b.mul(y, Digamma.of(b, x)), v);
      case LGAMMA -> (b, v) -> b.mul(Digamma.of(b, x), v);
      case ERF -> (b, v) -> b.mul(gaussian(b, x), v);
      case ERFC -> (b, v) -> b.neg(b.mul(gaussian(b, x), v));
    };
  }

  /** Returns the derivative of {@code z = op(x, y)} by x. */
  static LinearMap left(BinaryOp op, Atom x, Atom y, Atom z) {
    if (!x.type().elemPrim().isFloat() && !isPolynomial(op) && op != BinaryOp.POW) {
      return LinearMap.ZERO;
    }
    return switch (op) {
      case ADD, SUB, MOD, REM, NEXTAFTER -> LinearMap.IDENTITY;
      case MUL -> (b, v) -> b.mul(y, v);
      case DIV -> (b, v) -> b.div(v, y);
      case POW -> powBase(x, y);
      case MIN, MAX -> (b, v) -> select(b, b.compare(CompareOp.EQ, z, x), v);
      case ATAN2 -> (b, v) -> b.div(b.mul(y, v), b.add(b.mul(x, x), b.mul(y, y)));
      case HYPOT -> (b, v) -> hypot(b, x, z, v);
      case COPYSIGN ->
          (b, v) ->
              b.mul(
                  b.mul(
                      b.binary(BinaryOp.COPYSIGN, lit(x, 1), x),
                      b.binary(BinaryOp.COPYSIGN, lit(x, 1), y)),
                  v);
      case LDEXP -> (b, v) -> b.binary(BinaryOp.LDEXP, v, y);
      case QUOT, AND, OR, XOR, SHL, SHR, USHR, MUL_HI -> LinearMap.ZERO;
    };
  }

  /** Returns the derivative of {@code z = op(x, y)} by y. */
  static LinearMap right(BinaryOp op, Atom x, Atom y, Atom z) {
    if (y.type().elemPrim() == Prim.BOOL && (op == BinaryOp.AND || op == BinaryOp.OR)) {
      // the derivatives are those of conditionals, which is what && and || are
      return (b, v) -> op == BinaryOp.AND ? select(b, x, v) : unless(b, x, v);
    }
    if (!y.type().elemPrim().isFloat() && !isPolynomial(op)) {
      return LinearMap.ZERO;
    }
    return switch (op) {
      case ADD -> LinearMap.IDENTITY;
      case SUB -> LinearMap.MINUS;
      case MUL -> (b, v) -> b.mul(x, v);
      // the left derivative needs v / y too, which is then shared
      case DIV -> (b, v) -> b.neg(b.mul(b.div(v, y), z));
      case MOD, REM -> (b, v) -> b.neg(b.mul(b.unary(UnaryOp.TRUNC, b.div(x, y)), v));
      case POW -> (b, v) -> powExponent(b, x, z, v);
      case MIN, MAX -> (b, v) -> unless(b, b.compare(CompareOp.EQ, z, x), v);
      case ATAN2 -> (b, v) -> b.neg(b.div(b.mul(x, v), b.add(b.mul(x, x), b.mul(y, y))));
      case HYPOT -> (b, v) -> hypot(b, y, z, v);
      case QUOT, AND, OR, XOR, SHL, SHR, USHR, COPYSIGN, NEXTAFTER, LDEXP, MUL_HI -> LinearMap.ZERO;
    };
  }

  /** Whether the operation means the same for integers and real numbers. */
  private static boolean isPolynomial(BinaryOp op) {
    return switch (op) {
      case ADD, SUB, MUL, MIN, MAX -> true;
      default -> false;
    };
  }

  /** {@code v} where the condition holds, else zero. It is no product, as v may be infinite. */
  static Atom select(Builder b, Atom condition, Atom v) {
    return b.choose(condition, v, lit(v, 0));
  }

  private static Atom unless(Builder b, Atom condition, Atom v) {
    return b.choose(condition, lit(v, 0), v);
  }

  private static LinearMap powBase(Atom x, Atom y) {
    if (y.isConst(0)) {
      return LinearMap.ZERO;
    }
    if (y.isConst(2)) {
      return (b, v) -> b.mul(b.add(x, x), v);
    }
    if (y instanceof Const c) {
      var less = Atom.of(c.type().elemPrim(), c.value().asDouble() - 1);
      return (b, v) -> b.mul(b.mul(y, b.binary(BinaryOp.POW, x, less)), v);
    }
    return (b, v) -> {
      var none = b.compare(CompareOp.EQ, y, lit(y, 0));
      // what is not chosen must be finite, or its own derivative is 0 times infinity
      var less = b.choose(none, lit(y, 1), b.sub(y, lit(y, 1)));
      var slope = b.mul(y, b.binary(BinaryOp.POW, x, less));
      return b.mul(unless(b, none, slope), v);
    };
  }

  private static Atom powExponent(Builder b, Atom x, Atom z, Atom v) {
    var none = b.compare(CompareOp.EQ, x, lit(x, 0));
    var slope = b.mul(z, b.unary(UnaryOp.LOG, b.choose(none, lit(x, 1), x)));
    return b.mul(unless(b, none, slope), v);
  }

  private static Atom hypot(Builder b, Atom side, Atom z, Atom v) {
    return unless(b, b.compare(CompareOp.EQ, z, lit(z, 0)), b.mul(b.div(side, z), v));
  }

  private static Atom oneMinusSquare(Builder b, Atom x) {
    return b.sub(lit(x, 1), b.mul(x, x));
  }

  /** Emits the error function's slope, which is 2 / sqrt(pi) * exp(-x * x). */
  private static Atom gaussian(Builder b, Atom x) {
    return b.mul(lit(x, 2 / Math.sqrt(Math.PI)), b.unary(UnaryOp.EXP, b.neg(b.mul(x, x))));
  }

  /** Returns a literal of the operand's type. */
  static Atom lit(Atom like, double value) {
    Prim prim = like.type().elemPrim();
    return Atom.of(prim, value);
  }
}
