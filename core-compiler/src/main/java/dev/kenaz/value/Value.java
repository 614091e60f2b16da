package dev.kenaz.value;

/**
 * A scalar, or a regular array of scalars. It is immutable, and equal by content, where NaN equals
 * NaN.
 */
public sealed interface Value permits ScalarValue, ArrayValue {
  /** The type of the scalar, or of the array's elements. */
  Prim prim();

  /** The number of dimensions; 0 for a scalar. */
  int rank();

  /** The dimensions, outermost first; empty for a scalar. The caller may keep and change it. */
  long[] shape();

  /** The type without sizes, such as {@code [][]i32}. */
  default String typeName() {
    return "[]".repeat(rank()) + prim().text();
  }
}
