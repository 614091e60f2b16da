package dev.kenaz.source;

import dev.kenaz.error.Span;

/** {@code (name: type)} of a parametric module. */
public record ModuleParam(String name, ModuleTypeExp type, Span span) {}
