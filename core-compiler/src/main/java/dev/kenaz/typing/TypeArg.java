package dev.kenaz.typing;

/** The type or size that a {@link TypeParam} stands for at one use. */
public sealed interface TypeArg {
  record OfSize(Size size) implements TypeArg {}

  record OfType(SType type) implements TypeArg {}
}
