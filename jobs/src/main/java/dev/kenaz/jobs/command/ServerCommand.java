package dev.kenaz.jobs.command;

import dev.kenaz.jobs.tools.Warnings;
import dev.kenaz.jobs.tools.server.EntryAttributes;
import dev.kenaz.jobs.tools.server.Server;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Serves a program to tools by Futhark's server protocol. */
@Command(
    name = "server",
    description = "Compiles a program, then answers commands of Futhark's server protocol.")
public final class ServerCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "PROGRAM", description = "A .fut file.")
  private Path file;

  @Mixin private BackendOptions backend = new BackendOptions();

  /** Makes a command whose options the command line sets. */
  public ServerCommand() {}

  /** Makes a command for this file, without options. */
  public ServerCommand(Path file) {
    this.file = file;
  }

  @Override
  public Integer call() throws IOException {
    var out = answers();
    var source = ProgramSource.read(file);
    try (var program = Compiler.open(source, backend.get())) {
      Warnings.print(program.warnings(), source);
      var in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8), 1 << 16);
      new Server(program, EntryAttributes.of(source), out).serve(in);
    }
    return 0;
  }

  /**
   * Returns standard output for the answers alone. Everything else that is printed goes to standard
   * error.
   */
  private static PrintStream answers() {
    var stdout = new FileOutputStream(FileDescriptor.out);
    System.setOut(System.err);
    return new PrintStream(
        new BufferedOutputStream(stdout, 1 << 16), false, StandardCharsets.UTF_8);
  }
}
