package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is a module type, with which a module may be sealed. */
public sealed interface ModuleTypeExp {
  Span span();

  record Name(QualName name, Span span) implements ModuleTypeExp {}

  /** <code>{ specifications }</code>. */
  record Specs(List<Spec> specs, Span span) implements ModuleTypeExp {
    public Specs {
      specs = List.copyOf(specs);
    }
  }

  /** {@code base with type params = definition}. */
  record With(
      ModuleTypeExp base, QualName type, List<TypeParam> params, TypeExp definition, Span span)
      implements ModuleTypeExp {
    public With {
      params = List.copyOf(params);
    }
  }

  /** {@code (name: param) -> result} or, without the name, {@code param -> result}. */
  record Function(Optional<String> name, ModuleTypeExp param, ModuleTypeExp result, Span span)
      implements ModuleTypeExp {}
}
