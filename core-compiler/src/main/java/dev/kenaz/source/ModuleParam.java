package dev.kenaz.source;

import dev.kenaz.error.Span;

/** This is a parameter of a parametric module, {@code (name: type)}. */
public record ModuleParam(String name, ModuleTypeExp type, Span span) {}
