package dev.kenaz;

import java.io.Serializable;

/**
 * How a program is compiled. Travels with the program's text.
 *
 * @param backend what runs it
 * @param verify whether the core program is checked after each stage
 */
public record CompileOptions(Backend backend, boolean verify) implements Serializable {
  /** For ordinary use. */
  public static CompileOptions of(Backend backend) {
    return new CompileOptions(backend, false);
  }

  /** The same, with the core program checked after each stage. */
  public CompileOptions verified() {
    return new CompileOptions(backend, true);
  }
}
