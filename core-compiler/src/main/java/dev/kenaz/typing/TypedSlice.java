package dev.kenaz.typing;

import java.util.Optional;

/** What one dimension is indexed with. Every expression is an i64. */
public sealed interface TypedSlice {
  /** A single position; the dimension disappears. */
  record At(TypedExp index) implements TypedSlice {}

  /** {@code start:end:stride}; what is missing depends on the stride's sign. */
  record Part(Optional<TypedExp> start, Optional<TypedExp> end, Optional<TypedExp> stride)
      implements TypedSlice {}
}
