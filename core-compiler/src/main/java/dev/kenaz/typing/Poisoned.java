package dev.kenaz.typing;

/**
 * Says that a definition uses another one that had an error. The user is told of that error only
 * once. This exception has no stack trace.
 */
final class Poisoned extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Poisoned() {
    super("uses a definition that has an error", null, false, false);
  }
}
