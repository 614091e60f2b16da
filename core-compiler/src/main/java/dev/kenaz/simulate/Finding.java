package dev.kenaz.simulate;

/** Says what a kernel has done that it must not do, and that a GPU would not report. */
final class Finding extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Finding(String message) {
    super(message, null, false, false);
  }
}
