package dev.kenaz.jobs.command;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ErrorReport;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.jobs.tools.repl.Session;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Evaluates expressions. */
@Command(name = "eval", description = "Evaluates expressions of the language.")
public final class EvalCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "EXPRESSION")
  private List<String> expressions;

  @Option(
      names = {"-f", "--file"},
      description = "Let the expressions use the definitions of this program.")
  private Path file;

  @Mixin private BackendOptions backend;

  @Override
  public Integer call() {
    var session = new Session(backend.get(Backend.INTERPRET));
    try {
      if (file != null) {
        session.load(ProgramSource.read(file));
      }
      expressions.forEach(e -> System.out.println(session.evaluate(e)));
      return ExitStatus.OK;
    } catch (UserError | Limitation e) {
      // only the session has the expressions' text
      return ErrorReport.print(e, spec.commandLine().getErr(), session::text);
    }
  }
}
