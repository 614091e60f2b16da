package dev.kenaz.error;

/** The input is valid, but Kenaz can't do this yet; the message names the construct. */
public final class Limitation extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final transient Diagnostic diagnostic;

  public Limitation(Span span, String construct, String... hints) {
    super((span.known() ? span + ": " : "") + construct);
    this.diagnostic = Diagnostic.of("K9000", span, construct, hints);
  }

  public Diagnostic diagnostic() {
    return diagnostic;
  }
}
