package dev.kenaz.typing;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;

/** What checking declarations produces: definitions in order, entry points, and errors. */
final class Output {
  private static final int MOST_ERRORS = 20;

  final List<TypedDef> defs = new ArrayList<>();
  final List<TypedEntry> entries = new ArrayList<>();
  private final List<Diagnostic> errors;

  Output() {
    this(new ArrayList<>());
  }

  private Output(List<Diagnostic> errors) {
    this.errors = errors;
  }

  /**
   * Returns an output for a check whose definitions nobody needs, but whose errors are reported.
   */
  Output discarding() {
    return new Output(errors);
  }

  void error(UserError e) {
    for (var d : e.diagnostics()) {
      if (!errors.contains(d)) {
        errors.add(d);
      }
    }
    if (errors.size() >= MOST_ERRORS) {
      throwErrors();
    }
  }

  /** Ends the check if there was any error. */
  void throwErrors() {
    if (!errors.isEmpty()) {
      throw new UserError(errors.subList(0, Math.min(errors.size(), MOST_ERRORS)));
    }
  }
}
