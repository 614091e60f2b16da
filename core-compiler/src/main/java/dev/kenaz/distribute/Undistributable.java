package dev.kenaz.distribute;

import static dev.kenaz.error.ErrorCode.K8001;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;

/**
 * Makes the errors of distribution: they name an expression that can't be computed piece by piece,
 * and why.
 */
final class Undistributable {
  private Undistributable() {}

  static Limitation at(Span span, String what, String hint) {
    return new Limitation(
        Diagnostic.of(K8001, span, "can't be computed over a dataset in pieces: " + what, hint));
  }
}
