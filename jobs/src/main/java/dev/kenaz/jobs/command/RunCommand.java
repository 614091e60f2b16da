package dev.kenaz.jobs.command;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs an entry point on values. */
@Command(
    name = "run",
    description =
        "Runs a program: it reads arguments from standard input, and prints results"
            + " to standard output.")
public final class RunCommand implements Callable<Integer> {
  @Mixin private RunOptions options;
  @Mixin private PieceOptions pieces;

  @Override
  public Integer call() throws IOException {
    options.run(pieces);
    return 0;
  }
}
