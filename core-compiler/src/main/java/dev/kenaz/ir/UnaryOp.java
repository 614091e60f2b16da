package dev.kenaz.ir;

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
  /** To the nearest integer, ties to even. */
  ROUND,
  TRUNC,
  /** bool. */
  ISNAN,
  /** bool. */
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
  CTZ
}
