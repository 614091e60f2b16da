package dev.kenaz.testing;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import java.nio.file.Files;
import java.nio.file.Path;

/** What verifiers say of a pass, and the file in which they leave the program. */
public final class Blame {
  private static final String FILE = "the program is in ";

  private Blame() {}

  /** Checks that the verifier blames the pass, and leaves a file; returns its message. */
  public static String of(String pass, Runnable verifier) {
    var message = assertThrows(CompilerBug.class, verifier::run).getMessage();
    assertTrue(message.contains(pass), message);
    var file = message.substring(message.indexOf(FILE) + FILE.length());
    assertTrue(assertDoesNotThrow(() -> Files.deleteIfExists(Path.of(file))), message);
    return message;
  }
}
