package dev.kenaz.ir;

/** What is taken of one dimension. All atoms are i64. */
public sealed interface DimSlice {
  /** One position; the dimension disappears. */
  record Fix(Atom index) implements DimSlice {}

  /** {@code count} positions from {@code start} on, {@code stride} apart (may be negative). */
  record Range(Atom start, Atom count, Atom stride) implements DimSlice {}
}
