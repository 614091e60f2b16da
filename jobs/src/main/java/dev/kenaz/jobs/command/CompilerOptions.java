package dev.kenaz.jobs.command;

import dev.kenaz.Backend;
import dev.kenaz.CompileOptions;
import dev.kenaz.Kenaz;
import dev.kenaz.Program;
import dev.kenaz.source.DiagnosticPrinter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every command takes that compiles a program. */
final class CompilerOptions {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Option(
      names = "--backend",
      defaultValue = "jvm",
      description = "What runs it: jvm, cuda, simulate or interpret (${DEFAULT-VALUE}).")
  private String backend;

  @Option(names = "--device", description = "Number of the GPU; the first usable one unless given.")
  private int device = CompileOptions.ANY_DEVICE;

  @Option(names = "--verify", description = "Check the program after every stage of the compiler.")
  private boolean verify;

  Path file() {
    return file;
  }

  /** Compiles; warnings go to standard error. */
  Program compile() {
    return compile(file);
  }

  /** As {@link #compile()}, of another file. */
  Program compile(Path other) {
    var options = CompileOptions.of(Backend.named(backend)).onDevice(device);
    var program = Kenaz.compile(other, verify ? options.verified() : options);
    var printer = new DiagnosticPrinter(_ -> Optional.empty(), false);
    program.warnings().forEach(w -> System.err.print(printer.printWarning(w)));
    return program;
  }
}
