package dev.kenaz.typing;

import java.util.Optional;

/** What one dimension is indexed with. Every expression in it is an i64. */
public sealed interface TypedSlice {
  /** A single position, so that the result doesn't have the dimension. */
  record At(TypedExp index) implements TypedSlice {}

  /**
   * A range of positions, {@code start:end:stride}. The defaults of missing parts depend on the
   * stride's sign.
   */
  record Part(Optional<TypedExp> start, Optional<TypedExp> end, Optional<TypedExp> stride)
      implements TypedSlice {}
}
