package dev.kenaz.typing;

import dev.kenaz.source.Liftedness;

/** A size or type parameter of a definition or a type. */
public sealed interface TypeParam {
  VName name();

  record OfSize(VName name) implements TypeParam {}

  record OfType(VName name, Liftedness liftedness) implements TypeParam {}
}
