package dev.kenaz.jobs.command;

import dev.kenaz.jobs.ErrorReport;
import dev.kenaz.jobs.tools.Warnings;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Parses and type-checks programs. */
@Command(
    name = "check",
    description = "Checks a program and reports its faults; nothing is compiled.")
public final class CheckCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "PROGRAM", description = "A .fut file.")
  private List<Path> files;

  @Option(names = "-w", description = "Don't print warnings.")
  private boolean quiet;

  /** Makes a command whose options the command line sets. */
  public CheckCommand() {}

  /** Makes a command for these files, without options. */
  public CheckCommand(List<Path> files) {
    this.files = files;
  }

  @Override
  public Integer call() {
    var out = new PrintWriter(System.err, true);
    int status = 0;
    for (var file : files) {
      try {
        var source = ProgramSource.read(file);
        var program = Compiler.check(source);
        if (!quiet) {
          Warnings.print(program.warnings(), source);
        }
      } catch (RuntimeException | Error e) {
        int worse = ErrorReport.print(e, out);
        status = status == 1 ? status : worse; // A bug of Kenaz comes before all others.
      }
    }
    return status;
  }
}
