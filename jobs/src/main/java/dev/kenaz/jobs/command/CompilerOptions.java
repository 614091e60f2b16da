package dev.kenaz.jobs.command;

import dev.kenaz.distribute.Plan;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.jobs.tools.Warnings;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pass.Pipeline;
import dev.kenaz.pipeline.Compilation;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.typing.TypedProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** These are the options of every command that compiles a program. */
final class CompilerOptions {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Mixin private BackendOptions backend;

  @Option(names = "--verify", description = "Check the program after each pass of the compiler.")
  private boolean verify;

  Path file() {
    return file;
  }

  CompileOptions options() {
    return options(Backend.JVM);
  }

  /**
   * Returns the options that the command line chooses.
   *
   * @param otherwise the backend if none is named
   */
  CompileOptions options(Backend otherwise) {
    var options = backend.get(otherwise);
    return verify ? options.verified() : options;
  }

  /**
   * Compiles the program, each entry point when it is called; if passes are verified, all of it.
   * Warnings go to standard error.
   */
  CompiledProgram compile() {
    var source = ProgramSource.read(file);
    var program = verify ? Compiler.compile(source, options()) : Compiler.open(source, options());
    Warnings.print(program.warnings(), source);
    return program;
  }

  /**
   * Plans an entry point over parameters in pieces. Warnings go to standard error, among them what
   * is not divided.
   */
  PiecewiseEntry plan(String entry, List<String> rows) {
    return plan(ProgramSource.read(file), entry, rows);
  }

  /** Does so for a program that was read before. */
  PiecewiseEntry plan(ProgramSource source, String entry, List<String> rows) {
    var planned = PiecewiseEntry.plan(source, entry, rows, options());
    Warnings.print(planned.warnings(), source);
    var gathered = planned.program().plan().gathered();
    Warnings.print(gathered.stream().map(CompilerOptions::warning).toList(), source);
    return planned.program();
  }

  private static Diagnostic warning(Plan.Gather gather) {
    var why = gather.why();
    var names = gather.rows();
    var rows =
        names.isEmpty()
            ? "this runs in one place"
            : "this runs in one place, which all rows of %s are brought to"
                .formatted(String.join(", ", names));
    var hints = new ArrayList<String>();
    hints.add(rows);
    hints.addAll(why.hints());
    return new Diagnostic(why.code(), why.span(), why.message(), hints);
  }

  /** Takes a program through some passes and no further; warnings go to standard error. */
  <B> Compilation<B> run(Path file, Pipeline<TypedProgram, B> passes) {
    return run(file, passes, options());
  }

  /** Does so with options that may be other than those for the JVM. */
  <B> Compilation<B> run(Path file, Pipeline<TypedProgram, B> passes, CompileOptions options) {
    var source = ProgramSource.read(file);
    var compilation = Compiler.run(source, passes, options);
    Warnings.print(compilation.warnings(), source);
    return compilation;
  }
}
