package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.repl.Session;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Evaluates expressions. */
@Command(name = "eval", description = "Evaluates expressions of the language.")
public final class EvalCommand implements Callable<Integer> {
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
    if (file != null) {
      session.load(ProgramSource.read(file));
    }
    expressions.forEach(e -> System.out.println(session.evaluate(e)));
    return 0;
  }
}
