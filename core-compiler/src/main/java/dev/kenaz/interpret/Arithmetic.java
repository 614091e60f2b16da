package dev.kenaz.interpret;

import dev.kenaz.interpret.Datum.Dual;
import dev.kenaz.interpret.Datum.Level;
import dev.kenaz.interpret.Datum.Num;
import dev.kenaz.interpret.Datum.Plain;
import dev.kenaz.interpret.Datum.Taped;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.ScalarMath;
import dev.kenaz.ir.ScalarOps;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;

/**
 * Applies the scalar operators to numbers that may carry tangents or be recorded. Tangents and
 * slopes are computed by the same operators, so that derivatives nest.
 */
final class Arithmetic {
  private Arithmetic() {}

  static Num unary(UnaryOp op, Num x) {
    if (x instanceof Plain(var v)) {
      return Datum.of(ScalarOps.unary(op, v));
    }
    var level = level(x);
    var p = primal(level, x);
    var y = unary(op, p);
    if (isFlat(op)) {
      return y;
    }
    return switch (x) {
      case Dual d -> new Dual(level, y, unaryTangent(op, p, y, d.tangent()));
      case Taped t when op == UnaryOp.TO_BITS ->
          t.tape().linear(y, t, a -> unary(UnaryOp.FROM_BITS, a));
      case Taped t when op == UnaryOp.FROM_BITS ->
          t.tape().linear(y, t, a -> unary(UnaryOp.TO_BITS, a));
      case Taped t -> t.tape().unary(y, t, unaryTangent(op, p, y, k(p, 1)));
      case Plain _ -> throw new IllegalStateException();
    };
  }

  private static boolean isFlat(UnaryOp op) {
    return switch (op) {
      case SGN, FLOOR, CEIL, ROUND, TRUNC, ISNAN, ISINF, POPC, CLZ, CTZ -> true;
      default -> false;
    };
  }

  private static Num unaryTangent(UnaryOp op, Num x, Num y, Num t) {
    return switch (op) {
      case NEG -> neg(t);
      // For an integer this operator is -1 - x.
      case NOT -> x.value().prim() == Prim.BOOL ? t : neg(t);
      case TO_BITS, FROM_BITS -> unary(op, t);
      case ABS -> mul(unary(UnaryOp.SGN, x), t);
      case SQRT -> div(t, mul(k(x, 2), y));
      case CBRT -> div(t, mul(k(x, 3), mul(y, y)));
      case EXP -> mul(t, y);
      case EXP2 -> mul(t, mul(y, k(x, StrictMath.log(2))));
      case EXP10 -> mul(t, mul(y, k(x, StrictMath.log(10))));
      case EXPM1 -> mul(t, unary(UnaryOp.EXP, x));
      case LOG -> div(t, x);
      case LOG2 -> div(t, mul(x, k(x, StrictMath.log(2))));
      case LOG10 -> div(t, mul(x, k(x, StrictMath.log(10))));
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
      case SGN, FLOOR, CEIL, ROUND, TRUNC, ISNAN, ISINF, POPC, CLZ, CTZ ->
          throw new IllegalStateException();
    };
  }

  /** Returns the error function's derivative. */
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
      case Taped t -> t.tape().unary(polygamma(n, t.primal()), t, polygamma(n + 1, t.primal()));
    };
  }

  static Num binary(BinaryOp op, Num x, Num y) {
    if (x instanceof Plain(var a) && y instanceof Plain(var b)) {
      return Datum.of(ScalarOps.binary(op, a, b));
    }
    var level = level(x).depth() >= level(y).depth() ? level(x) : level(y);
    var px = primal(level, x);
    var py = primal(level, y);
    var z = binary(op, px, py);
    boolean left = px != x && dependsOnLeft(op, px);
    boolean right = py != y && dependsOnRight(op, py);
    if (!left && !right) {
      return z;
    }
    if ((left ? x : y) instanceof Dual) {
      var t = left ? left(op, px, py, z, tangent(level, x)) : k(z, 0);
      var u = right ? right(op, px, py, z, tangent(level, y)) : k(z, 0);
      return new Dual(level, z, left && right ? add(t, u) : left ? t : u);
    }
    if (left && right) {
      var tape = ((Taped) x).tape();
      var slope = left(op, px, py, z, k(px, 1));
      return tape.binary(z, (Taped) x, slope, (Taped) y, right(op, px, py, z, k(py, 1)));
    }
    return left
        ? ((Taped) x).tape().unary(z, (Taped) x, left(op, px, py, z, k(px, 1)))
        : ((Taped) y).tape().unary(z, (Taped) y, right(op, px, py, z, k(py, 1)));
  }

  private static boolean dependsOnLeft(BinaryOp op, Num x) {
    return switch (op) {
      case ADD, SUB, MUL, MIN, MAX, POW -> true;
      case QUOT, AND, OR, XOR, SHL, SHR, USHR, MUL_HI -> false;
      case DIV, MOD, REM, ATAN2, HYPOT, COPYSIGN, NEXTAFTER, LDEXP -> x.value().prim().isFloat();
    };
  }

  private static boolean dependsOnRight(BinaryOp op, Num y) {
    return switch (op) {
      case ADD, SUB, MUL, MIN, MAX -> true;
      case AND, OR -> y.value().prim() == Prim.BOOL;
      case QUOT, XOR, SHL, SHR, USHR, MUL_HI, COPYSIGN, NEXTAFTER, LDEXP -> false;
      case DIV, MOD, REM, ATAN2, HYPOT, POW -> y.value().prim().isFloat();
    };
  }

  /** Returns the change of z = op(x, y) for a change t of x. */
  private static Num left(BinaryOp op, Num x, Num y, Num z, Num t) {
    return switch (op) {
      case ADD, SUB, MOD, REM, NEXTAFTER -> t;
      case MUL -> mul(t, y);
      case DIV -> div(t, y);
      case POW -> y.value().asDouble() == 0 ? k(t, 0) : mul(t, mul(y, power(x, sub(y, k(y, 1)))));
      case MIN, MAX -> isFirst(op, x, y) ? t : k(t, 0);
      case ATAN2 -> div(mul(t, y), add(mul(x, x), mul(y, y)));
      case HYPOT -> z.value().asDouble() == 0 ? k(t, 0) : mul(t, div(x, z));
      case COPYSIGN -> sign(x) == sign(y) ? t : neg(t);
      case LDEXP -> binary(op, t, y);
      case QUOT, AND, OR, XOR, SHL, SHR, USHR, MUL_HI -> throw new IllegalStateException();
    };
  }

  /** Returns the change of z = op(x, y) for a change t of y. */
  private static Num right(BinaryOp op, Num x, Num y, Num z, Num t) {
    return switch (op) {
      case ADD -> t;
      case SUB -> neg(t);
      case MUL -> mul(x, t);
      case DIV -> neg(div(mul(z, t), y));
      case MOD, REM -> neg(mul(unary(UnaryOp.TRUNC, div(x, y)), t));
      case POW -> x.value().asDouble() == 0 ? k(t, 0) : mul(t, mul(z, unary(UnaryOp.LOG, x)));
      case MIN, MAX -> isFirst(op, x, y) ? k(t, 0) : t;
      case ATAN2 -> neg(div(mul(x, t), add(mul(x, x), mul(y, y))));
      case HYPOT -> z.value().asDouble() == 0 ? k(t, 0) : mul(t, div(y, z));
      // These are derived as conditionals, because && and || are conditionals.
      case AND -> x.value().asBoolean() ? t : k(t, 0);
      case OR -> x.value().asBoolean() ? k(t, 0) : t;
      case QUOT, XOR, SHL, SHR, USHR, MUL_HI, COPYSIGN, NEXTAFTER, LDEXP ->
          throw new IllegalStateException();
    };
  }

  /** Whether the operator takes the first of two numbers, which it does if they are equal. */
  private static boolean isFirst(BinaryOp op, Num x, Num y) {
    return op == BinaryOp.MIN
        ? holds(CompareOp.LE, x, y) || isNaN(y)
        : holds(CompareOp.LE, y, x) || isNaN(y);
  }

  private static Num power(Num x, Num y) {
    return binary(BinaryOp.POW, x, y);
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
      case Dual(var level, var p, var t) -> new Dual(level, convert(to, p), convert(to, t));
      case Taped t ->
          t.tape().linear(convert(to, t.primal()), t, a -> convert(x.value().prim(), a));
    };
  }

  // Levels

  static Level level(Num x) {
    return switch (x) {
      case Plain _ -> Level.NONE;
      case Dual d -> d.level();
      case Taped t -> t.tape().level();
    };
  }

  static Num primal(Level level, Num x) {
    return switch (x) {
      case Dual d when d.level() == level -> d.primal();
      case Taped t when t.tape().level() == level -> t.primal();
      case Plain _, Dual _, Taped _ -> x;
    };
  }

  static Num tangent(Level level, Num x) {
    return x instanceof Dual d && d.level() == level
        ? d.tangent()
        : Datum.of(ScalarValue.ofLong(x.value().prim(), 0));
  }

  static boolean isZero(Num x) {
    return x instanceof Plain(var v) && v.asDouble() == 0;
  }

  /** Returns the sum; for tangents that are truth values, whether any is true. */
  static Num add(Num x, Num y) {
    return binary(x.value().prim() == Prim.BOOL ? BinaryOp.OR : BinaryOp.ADD, x, y);
  }

  static Num mul(Num x, Num y) {
    return binary(BinaryOp.MUL, x, y);
  }

  static Num sub(Num x, Num y) {
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

  /** Returns a constant of the number's type. */
  private static Num k(Num x, double value) {
    return Datum.of(ScalarValue.ofDouble(x.value().prim(), value));
  }
}
