package dev.kenaz.jobs.command;

import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.source.DiagnosticPrinter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every command takes that compiles a program. */
final class CompilerOptions {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Mixin private BackendOptions backend;

  @Option(names = "--verify", description = "Check the program after every stage of the compiler.")
  private boolean verify;

  Path file() {
    return file;
  }

  /** Compiles; warnings go to standard error. */
  CompiledProgram compile() {
    return compile(file);
  }

  /** As {@link #compile()}, of another file. */
  CompiledProgram compile(Path other) {
    var options = backend.get();
    var program = Compiler.compile(other, verify ? options.verified() : options);
    var printer = new DiagnosticPrinter(_ -> Optional.empty(), false);
    program.warnings().forEach(w -> System.err.print(printer.printWarning(w)));
    return program;
  }
}
