package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.repl.Repl;
import dev.kenaz.jobs.tools.repl.Session;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Reads expressions and evaluates them, with the definitions of a program. */
@Command(
    name = "repl",
    description = "Evaluates expressions as you type them; :help lists the other commands.")
public final class ReplCommand implements Callable<Integer> {
  @Parameters(
      arity = "0..1",
      paramLabel = "PROGRAM",
      description = "A .fut file that is loaded first.")
  private Path file;

  @Mixin private BackendOptions backend;

  @Override
  public Integer call() throws IOException {
    var session = new Session(backend.get(Backend.INTERPRET));
    if (file != null) {
      session.load(ProgramSource.read(file));
    }
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    boolean terminal = System.console() != null && System.console().isTerminal();
    new Repl(session, new PrintWriter(System.out, true), terminal).run(in);
    return 0;
  }
}
