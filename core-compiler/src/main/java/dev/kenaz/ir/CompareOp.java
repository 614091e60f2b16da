package dev.kenaz.ir;

/** Comparisons of two scalars of one type; the result is a bool. Comparing with NaN is false. */
public enum CompareOp {
  EQ,
  LT,
  LE
}
