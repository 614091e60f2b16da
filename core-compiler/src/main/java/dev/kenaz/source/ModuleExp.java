package dev.kenaz.source;

import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;

/** This is an expression whose value is a module. */
public sealed interface ModuleExp {
  Span span();

  record Name(QualName name, Span span) implements ModuleExp {}

  /** {@code function argument}. */
  record Apply(ModuleExp function, ModuleExp argument, Span span) implements ModuleExp {}

  /** {@code module : type}. */
  record Seal(ModuleExp module, ModuleTypeExp type, Span span) implements ModuleExp {}

  /** {@code \(name: type) : ascription -> body}. */
  record Lambda(ModuleParam param, Optional<ModuleTypeExp> ascription, ModuleExp body, Span span)
      implements ModuleExp {}

  /** <code>{ declarations }</code>. */
  record Block(List<Declaration> declarations, Span span) implements ModuleExp {
    public Block {
      declarations = List.copyOf(declarations);
    }
  }

  /** {@code import "path"}. */
  record Import(String path, Span span) implements ModuleExp {}
}
