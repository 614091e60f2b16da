package dev.kenaz;

import java.io.Serializable;

/**
 * How a program is compiled. Travels with the program's text.
 *
 * @param backend what runs it
 * @param verify whether the core program is checked after each stage
 * @param cores how many threads a call may keep busy
 */
public record CompileOptions(Backend backend, boolean verify, int cores) implements Serializable {
  /** For ordinary use: on all cores. */
  public static CompileOptions of(Backend backend) {
    return new CompileOptions(backend, false, Runtime.getRuntime().availableProcessors());
  }

  /** The same, with the core program checked after each stage. */
  public CompileOptions verified() {
    return new CompileOptions(backend, true, cores);
  }

  /** The same on so many cores. */
  public CompileOptions onCores(int n) {
    return new CompileOptions(backend, verify, n);
  }
}
