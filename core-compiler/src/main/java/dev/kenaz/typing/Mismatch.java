package dev.kenaz.typing;

/** Two types that can't be made equal. Caught where the span is known; carries no stack. */
final class Mismatch extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Whether the shapes agree and only sizes differ. */
  final boolean ofSizes;

  Mismatch(boolean ofSizes, String detail) {
    super(detail, null, false, false);
    this.ofSizes = ofSizes;
  }
}
