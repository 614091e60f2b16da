package dev.kenaz.ir;

import static dev.kenaz.error.ErrorCode.K5003;
import static dev.kenaz.error.ErrorCode.K5004;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;

/**
 * Defines the scalar operators, on scalars of any type: the interpreter and constant folding use
 * it. Results of operations on f32 and f16 are rounded once to their type.
 */
public final class ScalarOps {
  private ScalarOps() {}

  /** An operation that has no result: a run-time error of the program. */
  public static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final ErrorCode code;

    Fault(ErrorCode code, String message) {
      super(message, null, false, false);
      this.code = code;
    }

    /** Returns the error code of the fault, such as {@code K5003}. */
    public ErrorCode code() {
      return code;
    }
  }

  public static final ErrorCode DIVISION_BY_ZERO = K5003;
  public static final ErrorCode NEGATIVE_EXPONENT = K5004;

  // Unary

  public static ScalarValue unary(UnaryOp op, ScalarValue x) {
    var prim = x.prim();
    return switch (op) {
      case ISNAN -> ScalarValue.bool(Double.isNaN(x.asDouble()));
      case ISINF -> ScalarValue.bool(Double.isInfinite(x.asDouble()));
      case TO_BITS -> new ScalarValue(unsignedOf(prim), x.bits());
      case FROM_BITS -> new ScalarValue(floatOf(prim), x.bits());
      case POPC -> ScalarValue.i32(Long.bitCount(unsigned(x)));
      case CLZ -> ScalarValue.i32(Long.numberOfLeadingZeros(unsigned(x)) - 64 + width(prim));
      case CTZ -> ScalarValue.i32(Math.min(width(prim), Long.numberOfTrailingZeros(unsigned(x))));
      default ->
          prim.isFloat()
              ? ScalarValue.ofDouble(prim, unaryFloat(op, prim, x.asDouble()))
              : new ScalarValue(prim, unaryLong(op, prim, x.bits()));
    };
  }

  private static long unaryLong(UnaryOp op, Prim prim, long x) {
    return switch (op) {
      case NEG -> -x;
      case NOT -> prim == Prim.BOOL ? 1 - x : ~x;
      case ABS -> prim.isUnsigned() ? x : Math.abs(x);
      case SGN -> prim.isUnsigned() ? (x == 0 ? 0 : 1) : Long.signum(x);
      default -> throw undefined(op, prim);
    };
  }

  private static double unaryFloat(UnaryOp op, Prim prim, double x) {
    var elementary = op.elementary();
    return elementary.isPresent() ? elementary.get().of(prim, x) : unaryDouble(op, x);
  }

  private static double unaryDouble(UnaryOp op, double x) {
    return switch (op) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SQRT -> Math.sqrt(x);
      case LOG2 -> ScalarMath.log2(x);
      case ASINH -> ScalarMath.asinh(x);
      case ACOSH -> ScalarMath.acosh(x);
      case ATANH -> ScalarMath.atanh(x);
      case GAMMA -> ScalarMath.gamma(x);
      case LGAMMA -> ScalarMath.lgamma(x);
      case ERF -> ScalarMath.erf(x);
      case ERFC -> ScalarMath.erfc(x);
      case CBRT, EXP, EXP2, EXP10, EXPM1, LOG, LOG10, LOG1P -> throw undefined(op, Prim.F64);
      case SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH -> throw undefined(op, Prim.F64);
      case FLOOR, CEIL, ROUND, TRUNC, SGN -> throw undefined(op, Prim.F64);
      case NOT, ISNAN, ISINF, TO_BITS, FROM_BITS, POPC, CLZ, CTZ -> throw undefined(op, Prim.F64);
    };
  }

  // Binary

  /**
   * @throws Fault for an integer division by zero and a negative exponent of an integer
   */
  public static ScalarValue binary(BinaryOp op, ScalarValue x, ScalarValue y) {
    var prim = x.prim();
    return switch (prim) {
      case F64, F32 -> ScalarValue.ofDouble(prim, binaryFloat(op, prim, x, y));
      case F16 ->
          op == BinaryOp.NEXTAFTER
              ? new ScalarValue(prim, nextHalf(x.asDouble(), y.asDouble(), x.bits()))
              : ScalarValue.ofDouble(prim, binaryFloat(op, prim, x, y));
      case BOOL -> new ScalarValue(prim, binaryBool(op, x.bits(), y.bits()));
      case I8, I16, I32, I64, U8, U16, U32, U64 ->
          new ScalarValue(prim, binaryLong(op, prim, x.bits(), y.bits()));
    };
  }

  private static double binaryFloat(BinaryOp op, Prim prim, ScalarValue a, ScalarValue b) {
    double x = a.asDouble();
    if (op == BinaryOp.LDEXP) {
      int n = (int) b.asLong();
      // a float's scaling is exact in double; a further rounding then is the only one
      return prim == Prim.F64 ? Math.scalb(x, n) : scalbInDouble(x, n);
    }
    double y = b.asDouble();
    if (op == BinaryOp.NEXTAFTER && prim == Prim.F32) {
      return Math.nextAfter((float) x, y);
    }
    // for +, -, * and / of f32 and f16, rounding the double result again is rounding once, because
    // double has more than twice their digits
    return binaryDouble(op, x, y);
  }

  private static double binaryDouble(BinaryOp op, double x, double y) {
    return switch (op) {
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case DIV -> x / y;
      case MOD -> ScalarMath.mod(x, y);
      case REM -> x % y;
      case QUOT -> x / y < 0 ? Math.ceil(x / y) : Math.floor(x / y);
      case POW -> Elementary.pow(x, y);
      case MIN -> ScalarMath.min(x, y);
      case MAX -> ScalarMath.max(x, y);
      case ATAN2 -> StrictMath.atan2(x, y);
      case HYPOT -> StrictMath.hypot(x, y);
      case COPYSIGN -> ScalarMath.copySign(x, y);
      case NEXTAFTER -> Math.nextAfter(x, y);
      case AND, OR, XOR, SHL, SHR, USHR, LDEXP, MUL_HI -> throw undefined(op, Prim.F64);
    };
  }

  private static double scalbInDouble(double x, int n) {
    return Math.scalb(x, Math.clamp(n, -400, 400));
  }

  private static long nextHalf(double from, double to, long bits) {
    if (Double.isNaN(from) || Double.isNaN(to)) {
      return Prim.F16.fromDouble(Double.NaN);
    }
    if (from == to) {
      return Prim.F16.fromDouble(to);
    }
    if (from == 0) {
      return to > 0 ? 1 : 0x8001;
    }
    return to > from == from > 0 ? bits + 1 : bits - 1;
  }

  private static long binaryBool(BinaryOp op, long x, long y) {
    return switch (op) {
      case AND, MIN, MUL -> x & y;
      case OR, MAX -> x | y;
      case XOR -> x ^ y;
      default -> throw undefined(op, Prim.BOOL);
    };
  }

  private static long binaryLong(BinaryOp op, Prim prim, long x, long y) {
    boolean unsigned = prim.isUnsigned();
    return switch (op) {
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case DIV -> unsigned ? Long.divideUnsigned(x, divisor(y)) : Math.floorDiv(x, divisor(y));
      case MOD -> unsigned ? Long.remainderUnsigned(x, divisor(y)) : Math.floorMod(x, divisor(y));
      case QUOT -> unsigned ? Long.divideUnsigned(x, divisor(y)) : x / divisor(y);
      case REM -> unsigned ? Long.remainderUnsigned(x, divisor(y)) : x % divisor(y);
      case POW -> {
        if (y < 0 && !unsigned) {
          throw new Fault(NEGATIVE_EXPONENT, "negative exponent " + y);
        }
        yield ScalarMath.pow(x, y);
      }
      case MIN -> unsigned && Long.compareUnsigned(x, y) > 0 || !unsigned && x > y ? y : x;
      case MAX -> unsigned && Long.compareUnsigned(x, y) < 0 || !unsigned && x < y ? y : x;
      case AND -> x & y;
      case OR -> x | y;
      case XOR -> x ^ y;
      case SHL -> x << shift(prim, y);
      case SHR -> unsigned ? (x & mask(prim)) >>> shift(prim, y) : x >> shift(prim, y);
      case USHR -> (x & mask(prim)) >>> shift(prim, y);
      case MUL_HI -> mulHi(prim, x, y);
      case ATAN2, HYPOT, COPYSIGN, NEXTAFTER, LDEXP -> throw undefined(op, prim);
    };
  }

  private static long divisor(long y) {
    if (y == 0) {
      throw new Fault(DIVISION_BY_ZERO, "division by zero");
    }
    return y;
  }

  /** Narrow types are shifted as 32-bit numbers, as C does. */
  private static int shift(Prim prim, long y) {
    return (int) y & Math.max(width(prim), 32) - 1;
  }

  private static long mulHi(Prim prim, long x, long y) {
    if (width(prim) == 64) {
      return prim.isUnsigned() ? Math.unsignedMultiplyHigh(x, y) : Math.multiplyHigh(x, y);
    }
    return x * y >> width(prim);
  }

  // Others

  public static boolean compare(CompareOp op, ScalarValue x, ScalarValue y) {
    if (x.prim().isFloat()) {
      double a = x.asDouble();
      double b = y.asDouble();
      return switch (op) {
        case EQ -> a == b;
        case LT -> a < b;
        case LE -> a <= b;
      };
    }
    int c =
        x.prim() == Prim.U64
            ? Long.compareUnsigned(x.bits(), y.bits())
            : Long.compare(x.bits(), y.bits());
    return switch (op) {
      case EQ -> c == 0;
      case LT -> c < 0;
      case LE -> c <= 0;
    };
  }

  /** Converts a scalar to another type, as {@link Exp.Convert} says. */
  public static ScalarValue convert(Prim to, ScalarValue x) {
    if (x.prim().isFloat()) {
      double d = x.asDouble();
      if (to.isUnsigned() && d < 0 && !Double.isInfinite(d)) {
        return ScalarValue.ofLong(to, (long) d);
      }
      return ScalarValue.ofDouble(to, to.isInteger() && Double.isInfinite(d) ? 0 : d);
    }
    if (!to.isFloat()) {
      return ScalarValue.ofLong(to, extendsByZeros(x.prim(), to) ? unsigned(x) : x.bits());
    }
    if (to == Prim.F32) {
      return ScalarValue.f32(longToFloat(x));
    }
    return ScalarValue.ofDouble(to, x.asDouble());
  }

  /** Whether a conversion takes the bits of a signed integer for those of an unsigned one. */
  public static boolean extendsByZeros(Prim from, Prim to) {
    return from.isSigned() && to.isUnsigned() && to.byteSize() > from.byteSize();
  }

  private static float longToFloat(ScalarValue x) {
    long b = x.bits();
    return x.prim() == Prim.U64 && b < 0 ? (float) (b >>> 1 | b & 1) * 2 : (float) b;
  }

  /** Returns {@code x * y + z} of floats of one type, rounded once. */
  public static ScalarValue fma(ScalarValue x, ScalarValue y, ScalarValue z) {
    double a = x.asDouble();
    double b = y.asDouble();
    double c = z.asDouble();
    return switch (x.prim()) {
      case F64 -> ScalarValue.f64(Math.fma(a, b, c));
      case F32 -> ScalarValue.f32(Math.fma((float) a, (float) b, (float) c));
      case F16 -> ScalarValue.f16(sumToOdd(a * b, c));
      case BOOL, I8, I16, I32, I64, U8, U16, U32, U64 ->
          new ScalarValue(x.prim(), x.bits() * y.bits() + z.bits());
    };
  }

  /** Returns the sum rounded to odd, so that rounding it again is rounding once. */
  private static double sumToOdd(double x, double y) {
    double s = x + y;
    double part = s - x;
    double error = (x - (s - part)) + (y - part);
    if (error == 0 || Double.isNaN(error) || (Double.doubleToRawLongBits(s) & 1) != 0) {
      return s;
    }
    return error > 0 ? Math.nextUp(s) : Math.nextDown(s);
  }

  /** Returns the number of bits of a scalar of the type. */
  public static int width(Prim prim) {
    return prim == Prim.BOOL ? 1 : 8 * prim.byteSize();
  }

  private static long mask(Prim prim) {
    return width(prim) == 64 ? -1 : (1L << width(prim)) - 1;
  }

  private static long unsigned(ScalarValue x) {
    return x.bits() & mask(x.prim());
  }

  /** Returns the unsigned integer type with as many bits. */
  public static Prim unsignedOf(Prim prim) {
    return switch (prim.byteSize()) {
      case 1 -> Prim.U8;
      case 2 -> Prim.U16;
      case 4 -> Prim.U32;
      default -> Prim.U64;
    };
  }

  static Prim floatOf(Prim prim) {
    return switch (prim.byteSize()) {
      case 2 -> Prim.F16;
      case 4 -> Prim.F32;
      default -> Prim.F64;
    };
  }

  private static CompilerBug undefined(Enum<?> op, Prim prim) {
    return new CompilerBug("ir", op + " is not defined on " + prim);
  }
}
