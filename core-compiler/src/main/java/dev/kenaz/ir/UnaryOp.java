package dev.kenaz.ir;

import dev.kenaz.value.Prim;

/** Scalar functions of one argument. The result has the argument's type unless said otherwise. */
public enum UnaryOp {
  /** Arithmetic negation; wraps for integers. */
  NEG,
  /** Truth-value negation, or bitwise complement of an integer. */
  NOT,
  ABS,
  /** -1, 0 or 1; NaN for NaN. */
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
  /** The gamma function. */
  GAMMA,
  /** Logarithm of the absolute value of the gamma function. */
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
  /** The bit pattern, as an unsigned integer of the float's width. */
  TO_BITS,
  /** The float of the width of this unsigned integer's with this bit pattern. */
  FROM_BITS,
  /** Number of one bits, i32. */
  POPC,
  /** Number of leading zero bits, i32. */
  CLZ,
  /** Number of trailing zero bits, i32; the width for 0. */
  CTZ;

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

  /** The result's type for an argument of this type. */
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
