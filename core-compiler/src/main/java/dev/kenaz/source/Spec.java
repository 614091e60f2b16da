package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is a specification. Module types consist of specifications. */
public sealed interface Spec {
  Modifiers modifiers();

  Span span();

  /** A value, {@code val name typeParams : type}. The name may be an operator symbol. */
  record Value(
      Modifiers modifiers, String name, List<TypeParam> typeParams, TypeExp type, Span span)
      implements Spec {
    public Value {
      typeParams = List.copyOf(typeParams);
    }
  }

  /** A type, {@code type name params}. It is abstract, unless {@code = definition} follows. */
  record Type(
      Modifiers modifiers,
      Liftedness liftedness,
      String name,
      List<TypeParam> params,
      Optional<TypeExp> definition,
      Span span)
      implements Spec {
    public Type {
      params = List.copyOf(params);
    }
  }

  /** {@code module name : type}. */
  record Module(Modifiers modifiers, String name, ModuleTypeExp type, Span span) implements Spec {}

  /** {@code include type}. */
  record Include(Modifiers modifiers, ModuleTypeExp type, Span span) implements Spec {}
}
