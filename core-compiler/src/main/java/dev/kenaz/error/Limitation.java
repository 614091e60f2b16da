package dev.kenaz.error;

import static dev.kenaz.error.ErrorCode.K9000;

/** The input is valid, but Kenaz can't do this yet; the message names the construct. */
public final class Limitation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final Diagnostic diagnostic;

  public Limitation(Span span, String construct, String... hints) {
    this(Diagnostic.of(K9000, span, construct, hints));
  }

  /** Makes a limitation that has a code of its own, which docs/errors.md explains. */
  public Limitation(Diagnostic diagnostic) {
    super((diagnostic.span().known() ? diagnostic.span() + ": " : "") + diagnostic.message());
    this.diagnostic = diagnostic;
  }

  public Diagnostic diagnostic() {
    return diagnostic;
  }

  /** Returns what a stack trace shows: the code and the hints, too. */
  @Override
  public String toString() {
    return diagnostic.inTrace(this);
  }
}
