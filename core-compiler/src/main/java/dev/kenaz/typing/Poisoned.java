package dev.kenaz.typing;

/**
 * A definition uses one that had an error, which the user is told only once. It carries no stack.
 */
final class Poisoned extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Poisoned() {
    super("uses a definition that has an error", null, false, false);
  }
}
