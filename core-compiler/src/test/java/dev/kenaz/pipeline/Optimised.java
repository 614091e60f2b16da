package dev.kenaz.pipeline;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.nio.file.Path;

/** Programs as backends take them on, for tests. */
public final class Optimised {
  private static final CompileOptions OPTIONS = CompileOptions.of(Backend.JVM);

  private Optimised() {}

  public static CoreProgram text(String text) {
    return of(ProgramSource.of("test.fut", text), OPTIONS);
  }

  public static CoreProgram text(String text, CompileOptions options) {
    return of(ProgramSource.of("test.fut", text), options);
  }

  /** As {@link #text}, verified after each pass. */
  public static CoreProgram verified(String text) {
    return of(ProgramSource.of("test.fut", text), OPTIONS.verified());
  }

  /** As plans are made of it, verified after each pass. */
  public static CoreProgram differentiated(String text) {
    var options = OPTIONS.verified();
    var source = ProgramSource.of("test.fut", text);
    return Compiler.run(source, Pipelines.differentiated(options), options).program();
  }

  public static CoreProgram file(Path file) {
    return of(ProgramSource.read(file), OPTIONS);
  }

  private static CoreProgram of(ProgramSource source, CompileOptions options) {
    return Compiler.run(source, Pipelines.optimised(options), options).program();
  }
}
