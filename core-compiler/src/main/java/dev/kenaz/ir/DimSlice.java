package dev.kenaz.ir;

/** What is taken of one dimension. All atoms are i64. */
public sealed interface DimSlice {
  /** This takes one position of the dimension, which the result doesn't have. */
  record Fix(Atom index) implements DimSlice {}

  /** {@code count} positions from {@code start} on, {@code stride} apart (may be negative). */
  record Range(Atom start, Atom count, Atom stride) implements DimSlice {}

  /** Whether it is known to be the whole dimension, of that size, in order. */
  default boolean isWhole(Atom size) {
    return this instanceof Range(var start, var count, var stride)
        && start.isConst(0)
        && stride.isConst(1)
        && count.equals(size);
  }
}
