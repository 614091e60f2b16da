package dev.kenaz.error;

/**
 * A promise inside the compiler is broken. It is never the fault of a user; the message says which
 * pass, or which package, has noticed it.
 */
public final class CompilerBug extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CompilerBug(String pass, String message) {
    super("internal error in " + pass + ": " + message);
  }

  public CompilerBug(String pass, String message, Throwable cause) {
    super("internal error in " + pass + ": " + message, cause);
  }
}
