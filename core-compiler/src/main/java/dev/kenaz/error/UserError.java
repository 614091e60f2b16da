package dev.kenaz.error;

import java.util.List;
import java.util.function.UnaryOperator;

/** The program, the data or the configuration is at fault. Carries up to 20 independent faults. */
public final class UserError extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final List<Diagnostic> diagnostics;

  public UserError(List<Diagnostic> diagnostics) {
    super(summary(diagnostics));
    this.diagnostics = List.copyOf(diagnostics);
  }

  public UserError(ErrorCode code, Span span, String message, String... hints) {
    this(List.of(Diagnostic.of(code, span, message, hints)));
  }

  /**
   * A fault that is at no place in a program: in the data, the configuration or the command line.
   */
  public UserError(ErrorCode code, String message, String... hints) {
    this(code, Span.NONE, message, hints);
  }

  /** Returns the error for a thread that was interrupted while it waited for work of Kenaz. */
  public static UserError interrupted(String... hints) {
    return new UserError(ErrorCode.K8205, "interrupted before the end", hints);
  }

  /** Whether somebody has ended the work, so that no fault of the user's follows from it. */
  public boolean isInterruption() {
    return diagnostics.getFirst().code() == ErrorCode.K8205;
  }

  public List<Diagnostic> diagnostics() {
    return diagnostics;
  }

  /** Returns the same error in other words. */
  public UserError told(UnaryOperator<String> change) {
    var told =
        new UserError(
            diagnostics.stream()
                .map(
                    d ->
                        new Diagnostic(
                            d.code(),
                            d.span(),
                            change.apply(d.message()),
                            d.hints().stream().map(change).toList()))
                .toList());
    told.setStackTrace(getStackTrace());
    return told;
  }

  /** Returns what a stack trace shows: the first fault, with its code and hints. */
  @Override
  public String toString() {
    return diagnostics.getFirst().inTrace(this);
  }

  private static String summary(List<Diagnostic> diagnostics) {
    var first = diagnostics.getFirst();
    return (first.span().known() ? first.span() + ": " : "") + first.message();
  }
}
