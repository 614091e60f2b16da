package dev.kenaz.source;

import dev.kenaz.error.Span;

/** What stands between the brackets of an array type. */
public sealed interface SizeExp {
  Span span();

  /** {@code []}: some size. */
  record Any(Span span) implements SizeExp {}

  /** {@code [expression]}: an integer expression, most often a name or a constant. */
  record Of(Exp exp, Span span) implements SizeExp {}
}
