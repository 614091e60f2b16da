package dev.kenaz.source;

import dev.kenaz.error.Diagnostic;

/** Ends the parsing of one declaration. It never leaves the parser. */
final class ParseFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Diagnostic diagnostic;

  ParseFailure(Diagnostic diagnostic) {
    super(diagnostic.message(), null, false, false);
    this.diagnostic = diagnostic;
  }

  Diagnostic diagnostic() {
    return diagnostic;
  }
}
