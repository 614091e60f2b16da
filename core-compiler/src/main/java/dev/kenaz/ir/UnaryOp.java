package dev.kenaz.ir;

import dev.kenaz.elementary.Elementary;
import dev.kenaz.value.Prim;
import java.util.Optional;

/**
 * These are scalar functions of one argument. The result has the argument's type unless said
 * otherwise.
 */
public enum UnaryOp {
  /** Arithmetic negation; wraps for integers. */
  NEG,
  /** Negates a truth value, or complements each bit of an integer. */
  NOT,
  ABS,
  /** Returns -1, 0 or 1, and NaN for NaN. */
  SGN,
  SQRT,
  CBRT,
  EXP,
  EXP2,
  EXP10,
  EXPM1,
  LOG,
  LOG2,
  LOG10,
  LOG1P,
  SIN,
  COS,
  TAN,
  ASIN,
  ACOS,
  ATAN,
  SINH,
  COSH,
  TANH,
  ASINH,
  ACOSH,
  ATANH,
  /** Returns the gamma function. */
  GAMMA,
  /** Returns the logarithm of the absolute value of the gamma function. */
  LGAMMA,
  ERF,
  ERFC,
  FLOOR,
  CEIL,
  /** Rounds to the nearest integer, and ties to even. */
  ROUND,
  TRUNC,
  /** Whether a float is not a number; a truth value. */
  ISNAN,
  /** Whether a float is infinite; a truth value. */
  ISINF,
  /** Returns the bit pattern, as an unsigned integer of the float's width. */
  TO_BITS,
  /** Returns the float that has the bit pattern, and the width, of this unsigned integer. */
  FROM_BITS,
  /** Returns the number of bits that are one, an i32. */
  POPC,
  /** Returns the number of leading zero bits, an i32. */
  CLZ,
  /** Returns the number of trailing zero bits, an i32; for 0 it is the width. */
  CTZ;

  /** Returns the function of floats that this is, if it is one that gives the same everywhere. */
  public Optional<Elementary> elementary() {
    return switch (this) {
      case EXP, EXP2, EXP10, EXPM1, LOG, LOG10, LOG1P, CBRT -> Optional.of(named());
      case SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH -> Optional.of(named());
      case FLOOR, CEIL, ROUND, TRUNC, SGN -> Optional.of(named());
      default -> Optional.empty();
    };
  }

  private Elementary named() {
    return Elementary.valueOf(name());
  }

  /** Whether there is such a function of scalars of this type. */
  public boolean takes(Prim x) {
    return switch (this) {
      case NEG, ABS, SGN -> x != Prim.BOOL;
      case NOT -> !x.isFloat();
      case POPC, CLZ, CTZ -> x.isInteger();
      case FROM_BITS -> x.isUnsigned() && x != Prim.U8;
      default -> x.isFloat();
    };
  }

  /** Returns the result's type for an argument of this type. */
  public Prim result(Prim x) {
    return switch (this) {
      case ISNAN, ISINF -> Prim.BOOL;
      case POPC, CLZ, CTZ -> Prim.I32;
      case TO_BITS -> ScalarOps.unsignedOf(x);
      case FROM_BITS -> ScalarOps.floatOf(x);
      default -> x;
    };
  }
}
