package dev.kenaz.source;

import dev.kenaz.error.Span;

/** A parameter of a parametric module, {@code (name: type)}. */
public record ModuleParam(String name, ModuleTypeExp type, Span span) {}
