package dev.kenaz.source;

import dev.kenaz.error.Span;

/** This is a size: what stands between the brackets of an array type. */
public sealed interface SizeExp {
  Span span();

  /** {@code []}, which leaves the size out. */
  record Any(Span span) implements SizeExp {}

  /** {@code [expression]}, with an integer expression, most often a name or a constant. */
  record Of(Exp exp, Span span) implements SizeExp {}
}
