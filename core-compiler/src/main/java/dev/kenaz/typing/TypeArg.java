package dev.kenaz.typing;

/** What a {@link TypeParam} stands for at one use. */
public sealed interface TypeArg {
  record OfSize(Size size) implements TypeArg {}

  record OfType(SType type) implements TypeArg {}
}
