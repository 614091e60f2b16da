package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Dual;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Plain;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.ScalarMath;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;

/**
 * The scalar operators on numbers that may carry tangents. A tangent is computed by the same
 * operators, so that derivatives nest.
 */
final class Arithmetic {
  private Arithmetic() {}

  static Num unary(UnaryOp op, Num x) {
    if (x instanceof Plain(var v)) {
      return Datum.of(ScalarOps.unary(op, v));
    }
    var dual = (Dual) x;
    var y = unary(op, dual.primal());
    return switch (op) {
      case ISNAN, ISINF, TO_BITS, FROM_BITS, POPC, CLZ, CTZ, NOT -> Datum.of(y.value());
      case SGN, FLOOR, CEIL, ROUND, TRUNC -> y;
      default -> new Dual(dual.level(), y, unaryTangent(op, dual.primal(), y, dual.tangent()));
    };
  }

  private static Num unaryTangent(UnaryOp op, Num x, Num y, Num t) {
    return switch (op) {
      case NEG -> neg(t);
      case ABS -> mul(unary(UnaryOp.SGN, x), t);
      case SQRT -> div(t, mul(k(x, 2), y));
      case CBRT -> div(t, mul(k(x, 3), mul(y, y)));
      case EXP -> mul(t, y);
      case EXP2 -> mul(t, mul(y, k(x, Math.log(2))));
      case EXP10 -> mul(t, mul(y, k(x, Math.log(10))));
      case EXPM1 -> mul(t, unary(UnaryOp.EXP, x));
      case LOG -> div(t, x);
      case LOG2 -> div(t, mul(x, k(x, Math.log(2))));
      case LOG10 -> div(t, mul(x, k(x, Math.log(10))));
      case LOG1P -> div(t, add(k(x, 1), x));
      case SIN -> mul(t, unary(UnaryOp.COS, x));
      case COS -> neg(mul(t, unary(UnaryOp.SIN, x)));
      case TAN -> mul(t, add(k(x, 1), mul(y, y)));
      case ASIN -> div(t, unary(UnaryOp.SQRT, sub(k(x, 1), mul(x, x))));
      case ACOS -> neg(div(t, unary(UnaryOp.SQRT, sub(k(x, 1), mul(x, x)))));
      case ATAN -> div(t, add(k(x, 1), mul(x, x)));
      case SINH -> mul(t, unary(UnaryOp.COSH, x));
      case COSH -> mul(t, unary(UnaryOp.SINH, x));
      case TANH -> mul(t, sub(k(x, 1), mul(y, y)));
      case ASINH -> div(t, unary(UnaryOp.SQRT, add(mul(x, x), k(x, 1))));
      case ACOSH -> div(t, unary(UnaryOp.SQRT, sub(mul(x, x), k(x, 1))));
      case ATANH -> div(t, sub(k(x, 1), mul(x, x)));
      case GAMMA -> mul(t, mul(y, digamma(x)));
      case LGAMMA -> mul(t, digamma(x));
      case ERF -> mul(t, bell(x));
      case ERFC -> neg(mul(t, bell(x)));
      case SGN, FLOOR, CEIL, ROUND, TRUNC, ISNAN, ISINF, TO_BITS, FROM_BITS, POPC, CLZ, CTZ, NOT ->
          throw new IllegalStateException();
    };
  }

  /** The error function's derivative. */
  private static Num bell(Num x) {
    return mul(k(x, 2 / Math.sqrt(Math.PI)), unary(UnaryOp.EXP, neg(mul(x, x))));
  }

  private static Num digamma(Num x) {
    return polygamma(0, x);
  }

  private static Num polygamma(int n, Num x) {
    return switch (x) {
      case Plain(var v) -> k(x, ScalarMath.polygamma(n, v.asDouble()));
      case Dual(var level, var p, var t) ->
          new Dual(level, polygamma(n, p), mul(t, polygamma(n + 1, p)));
    };
  }

  static Num binary(BinaryOp op, Num x, Num y) {
    if (x instanceof Plain(var a) && y instanceof Plain(var b)) {
      return Datum.of(ScalarOps.binary(op, a, b));
    }
    int level = Math.max(level(x), level(y));
    var px = primal(level, x);
    var py = primal(level, y);
    var tx = tangent(level, x);
    var z = binary(op, px, py);
    if (op == BinaryOp.LDEXP) {
      return new Dual(level, z, binary(op, tx, py));
    }
    return new Dual(level, z, binaryTangent(op, px, py, z, tx, tangent(level, y)));
  }

  private static Num binaryTangent(BinaryOp op, Num x, Num y, Num z, Num tx, Num ty) {
    return switch (op) {
      case ADD -> add(tx, ty);
      case SUB -> sub(tx, ty);
      case MUL -> add(mul(tx, y), mul(x, ty));
      case DIV -> div(sub(tx, mul(z, ty)), y);
      case MOD -> sub(tx, mul(unary(UnaryOp.FLOOR, div(x, y)), ty));
      case REM -> sub(tx, mul(unary(UnaryOp.TRUNC, div(x, y)), ty));
      case POW -> pow(x, y, z, tx, ty);
      case MIN -> holds(CompareOp.LE, x, y) || isNaN(y) ? tx : ty;
      case MAX -> holds(CompareOp.LE, y, x) || isNaN(y) ? tx : ty;
      case ATAN2 -> div(sub(mul(tx, y), mul(x, ty)), add(mul(x, x), mul(y, y)));
      case HYPOT -> div(add(mul(x, tx), mul(y, ty)), z);
      case COPYSIGN -> {
        boolean same = sign(x) == sign(y);
        yield same ? tx : neg(tx);
      }
      case NEXTAFTER -> tx;
      case QUOT, AND, OR, XOR, SHL, SHR, USHR, LDEXP, MUL_HI -> k(x, 0);
    };
  }

  /** Leaves out the exponent's part where it doesn't vary: there the base may be negative. */
  private static Num pow(Num x, Num y, Num z, Num tx, Num ty) {
    var t = k(x, 0);
    if (!isZero(tx)) {
      t = add(t, mul(tx, mul(y, binary(BinaryOp.POW, x, sub(y, k(x, 1))))));
    }
    if (!isZero(ty)) {
      t = add(t, mul(ty, mul(z, unary(UnaryOp.LOG, x))));
    }
    return t;
  }

  static Num fma(Num x, Num y, Num z) {
    if (x instanceof Plain(var a) && y instanceof Plain(var b) && z instanceof Plain(var c)) {
      return Datum.of(ScalarOps.fma(a, b, c));
    }
    return add(mul(x, y), z);
  }

  static boolean holds(CompareOp op, Num x, Num y) {
    return ScalarOps.compare(op, x.value(), y.value());
  }

  static Num convert(Prim to, Num x) {
    return switch (x) {
      case Plain(var v) -> Datum.of(ScalarOps.convert(to, v));
      case Dual(var level, var p, var t) ->
          to.isFloat() ? new Dual(level, convert(to, p), convert(to, t)) : convert(to, p);
    };
  }

  // Duals

  static int level(Num x) {
    return x instanceof Dual d ? d.level() : 0;
  }

  static Num primal(int level, Num x) {
    return x instanceof Dual d && d.level() == level ? d.primal() : x;
  }

  static Num tangent(int level, Num x) {
    return x instanceof Dual d && d.level() == level
        ? d.tangent()
        : Datum.of(ScalarValue.ofLong(x.value().prim(), 0));
  }

  static boolean isZero(Num x) {
    return x instanceof Plain(var v) && v.asDouble() == 0;
  }

  static Num add(Num x, Num y) {
    return binary(BinaryOp.ADD, x, y);
  }

  static Num mul(Num x, Num y) {
    return binary(BinaryOp.MUL, x, y);
  }

  private static Num sub(Num x, Num y) {
    return binary(BinaryOp.SUB, x, y);
  }

  private static Num div(Num x, Num y) {
    return binary(BinaryOp.DIV, x, y);
  }

  private static Num neg(Num x) {
    return unary(UnaryOp.NEG, x);
  }

  private static boolean isNaN(Num x) {
    return Double.isNaN(x.value().asDouble());
  }

  private static double sign(Num x) {
    return Math.copySign(1, x.value().asDouble());
  }

  /** A constant of the number's type. */
  private static Num k(Num x, double value) {
    return Datum.of(ScalarValue.ofDouble(x.value().prim(), value));
  }
}
