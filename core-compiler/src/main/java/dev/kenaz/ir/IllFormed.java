package dev.kenaz.ir;

import dev.kenaz.error.CompilerBug;
import java.io.IOException;
import java.nio.file.Files;
import java.util.function.Supplier;

/** This is thrown when a verifier, or a node itself, finds that a program is not well formed. */
public final class IllFormed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean placed;

  public IllFormed(String message) {
    super(message);
    placed = false;
  }

  private IllFormed(String message, IllFormed cause) {
    super(message, cause);
    placed = true;
  }

  /**
   * Returns the same fault with the statement that it is about, unless a smaller statement has been
   * named already.
   *
   * @param statement as it is printed
   */
  public IllFormed in(String statement) {
    return placed ? this : new IllFormed(getMessage() + "\n  in " + statement.strip(), this);
  }

  public static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllFormed(message);
    }
  }

  /**
   * Runs a verifier.
   *
   * @param pass what made the program: it is blamed
   * @param program as text, for the file that the message names
   * @throws CompilerBug if the verifier finds something
   */
  public static void blame(String pass, Supplier<String> program, Runnable verifier) {
    try {
      verifier.run();
    } catch (IllFormed e) {
      throw new CompilerBug(pass, e.getMessage() + "; the program is in " + dump(program, pass), e);
    }
  }

  private static String dump(Supplier<String> program, String pass) {
    try {
      var file = Files.createTempFile("kenaz-" + pass.replaceAll("\\W", "_") + "-", ".txt");
      Files.writeString(file, program.get());
      return file.toString();
    } catch (IOException e) {
      return "no file (" + e.getMessage() + ")";
    }
  }
}
