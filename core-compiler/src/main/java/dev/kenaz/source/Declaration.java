package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is a declaration. Files and modules consist of declarations. */
public sealed interface Declaration {
  Modifiers modifiers();

  Span span();

  /**
   * A definition of a function, or of a constant, which has no parameters, by {@code def}, {@code
   * let} or {@code entry}. Infix definitions such as {@code def x +. y = ...} are functions named
   * by the symbol.
   *
   * @param entry whether it is an entry point
   * @param name an identifier or an operator symbol
   * @param nameSpan the span of the name alone
   * @param typeParams the size and type parameters, in the order in which they are written
   * @param returnType the type as it is written, which may be existential
   */
  record Value(
      Modifiers modifiers,
      boolean entry,
      String name,
      Span nameSpan,
      List<TypeParam> typeParams,
      List<Pattern> params,
      Optional<TypeExp> returnType,
      Exp body,
      Span span)
      implements Declaration {
    public Value {
      typeParams = List.copyOf(typeParams);
      params = List.copyOf(params);
    }
  }

  /** {@code type name params = definition}. */
  record Type(
      Modifiers modifiers,
      Liftedness liftedness,
      String name,
      List<TypeParam> params,
      TypeExp definition,
      Span span)
      implements Declaration {
    public Type {
      params = List.copyOf(params);
    }
  }

  /** {@code module name (P: T)... : ascription = body}. */
  record Module(
      Modifiers modifiers,
      String name,
      List<ModuleParam> params,
      Optional<ModuleTypeExp> ascription,
      ModuleExp body,
      Span span)
      implements Declaration {
    public Module {
      params = List.copyOf(params);
    }
  }

  /** {@code module type name = body}. */
  record ModuleType(Modifiers modifiers, String name, ModuleTypeExp body, Span span)
      implements Declaration {}

  /** {@code open module}. */
  record Open(Modifiers modifiers, ModuleExp module, Span span) implements Declaration {}

  /** {@code import "path"}; the path has no {@code .fut} and is relative to the importing file. */
  record Import(Modifiers modifiers, String path, Span span) implements Declaration {}
}
