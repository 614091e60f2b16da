package dev.kenaz.source;

import dev.kenaz.error.Span;

/** This is a size or type parameter of a function, type or specification. */
public sealed interface TypeParam {
  String name();

  Span span();

  /** {@code [name]}. */
  record Size(String name, Span span) implements TypeParam {}

  /** {@code 'name}, {@code '~name} or {@code '^name}. */
  record Type(Liftedness liftedness, String name, Span span) implements TypeParam {}
}
