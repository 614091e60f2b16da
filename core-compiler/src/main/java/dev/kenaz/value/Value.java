package dev.kenaz.value;

/**
 * This is a scalar, or a regular array of scalars. It is immutable, and equal by content, where NaN
 * equals NaN.
 */
public sealed interface Value permits ScalarValue, ArrayValue {
  /** Returns the type of the scalar, or of the array's elements. */
  Prim prim();

  /** Returns the number of dimensions; 0 for a scalar. */
  int rank();

  /**
   * Returns the dimensions, outermost first; an empty array for a scalar. The caller may keep and
   * change the array.
   */
  long[] shape();

  /** Returns the type without sizes, such as {@code [][]i32}. */
  default String typeName() {
    return "[]".repeat(rank()) + prim().text();
  }
}
