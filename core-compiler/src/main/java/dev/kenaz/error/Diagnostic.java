package dev.kenaz.error;

import java.io.Serializable;
import java.util.List;

/**
 * A diagnostic is one fault, as the user is told of it.
 *
 * @param code stable, such as {@code K0102}; each has a section in docs/errors.md
 * @param span where, or {@link Span#NONE}
 * @param message what is wrong, one sentence without a final full stop
 * @param hints what to do about it, and related places; may be empty
 */
public record Diagnostic(ErrorCode code, Span span, String message, List<String> hints)
    implements Serializable {
  public Diagnostic {
    hints = List.copyOf(hints);
  }

  public static Diagnostic of(ErrorCode code, Span span, String message, String... hints) {
    return new Diagnostic(code, span, message, List.of(hints));
  }

  /** Returns what a stack trace shows of an exception that this is the first fault of. */
  String inTrace(RuntimeException e) {
    var more = hints.isEmpty() ? "" : " (" + String.join("; ", hints) + ")";
    return e.getClass().getName() + ": " + code + ": " + e.getMessage() + more;
  }
}
