package dev.kenaz.distribute;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.List;

/** The errors of this stage: an expression that can't be computed piece by piece, and why. */
final class Undistributable {
  private Undistributable() {}

  static UserError at(Span span, String what, String hint) {
    return new UserError(
        List.of(
            new Diagnostic(
                "K8001",
                span,
                "can't be computed over a dataset in pieces: " + what,
                List.of(hint))));
  }
}
