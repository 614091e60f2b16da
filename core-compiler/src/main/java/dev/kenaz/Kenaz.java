package dev.kenaz;

import static java.util.Objects.requireNonNull;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Compiles programs. All methods may be called from several threads at once.
 *
 * <p>Compiling checks the whole program, so that all faults of it are reported at once. For the JVM
 * the code of an entry point is made when the entry point is first called or {@linkplain
 * Entry#prepare prepared}; that takes from 0.1 s for a small one to some seconds for the gradient
 * of a large one. For other backends all code is made at once. Keep a compiled program, and call it
 * often.
 */
public final class Kenaz {
  /** The name that messages give to a text. */
  private static final String TEXT = "program";

  private Kenaz() {}

  /**
   * Compiles a text for the JVM, to run on all cores.
   *
   * @param text a program that imports no files
   * @throws dev.kenaz.error.UserError if the program is at fault; its diagnostics tell where
   * @throws dev.kenaz.error.Limitation if it uses what Kenaz doesn't support
   */
  public static Program compile(String text) {
    return compile(text, CompileOptions.of(Backend.JVM));
  }

  /**
   * Compiles a text as {@link #compile(String)} does, but for the backend, the number of cores and
   * the device that the options choose.
   */
  public static Program compile(String text, CompileOptions options) {
    requireNonNull(text, "text");
    return open(() -> ProgramSource.of(TEXT, text), options);
  }

  /**
   * Compiles a file and what it imports for the JVM, to run on all cores.
   *
   * @throws dev.kenaz.error.UserError if the program is at fault, or a file can't be read
   * @throws dev.kenaz.error.Limitation if it uses what Kenaz doesn't support
   */
  public static Program compile(Path file) {
    return compile(file, CompileOptions.of(Backend.JVM));
  }

  /**
   * Compiles a file as {@link #compile(Path)} does, but for the backend, the number of cores and
   * the device that the options choose.
   */
  public static Program compile(Path file, CompileOptions options) {
    requireNonNull(file, "file");
    return open(() -> ProgramSource.read(file), options);
  }

  /**
   * Compiles a program of several files that are given as texts.
   *
   * @param main the file whose entry points are wanted, a name among those of {@code files}
   * @param files texts by the names of their files, such as {@code lib/sums.fut}; imports are
   *     relative to the file that imports
   * @throws dev.kenaz.error.UserError if a file is at fault, or the main file is not among them
   * @throws dev.kenaz.error.Limitation if they use what Kenaz doesn't support
   */
  public static Program compile(String main, Map<String, String> files, CompileOptions options) {
    requireNonNull(main, "main");
    requireNonNull(files, "files");
    files.forEach(
        (name, text) -> {
          requireNonNull(name, "the name of a file");
          requireNonNull(text, "the text of " + name);
        });
    return open(() -> new ProgramSource(main, files), options);
  }

  private static Program open(Supplier<ProgramSource> source, CompileOptions options) {
    requireNonNull(options, "options");
    var text = source.get();
    return new Program(text, Compiler.open(text, options), options);
  }
}
