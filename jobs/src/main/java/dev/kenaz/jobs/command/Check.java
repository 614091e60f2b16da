package dev.kenaz.jobs.command;

import dev.kenaz.Kenaz;
import dev.kenaz.ProgramSource;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Parses and type-checks. */
@Command(
    name = "check",
    description = "Says what is wrong with a program, and compiles nothing.",
    mixinStandardHelpOptions = true)
public final class Check implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Override
  public Integer call() {
    Kenaz.check(ProgramSource.read(file));
    return 0;
  }
}
