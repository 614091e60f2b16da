package dev.kenaz.error;

/** A broken promise inside the compiler. Never the user's fault; says which stage noticed. */
public final class CompilerBug extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CompilerBug(String stage, String message) {
    super("internal error in " + stage + ": " + message);
  }

  public CompilerBug(String stage, String message, Throwable cause) {
    super("internal error in " + stage + ": " + message, cause);
  }
}
