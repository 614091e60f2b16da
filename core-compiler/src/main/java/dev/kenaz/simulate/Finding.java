package dev.kenaz.simulate;

/** Tells what a kernel does and must not do, which a GPU would not tell. */
final class Finding extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Finding(String message) {
    super(message, null, false, false);
  }
}
