package dev.kenaz.jobs.command;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ErrorReport;
import dev.kenaz.jobs.tools.server.EntryAttributes;
import dev.kenaz.jobs.tools.server.Server;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Does what short commands do, so that the launcher can record start-up data for them. */
@Command(
    name = "warm-up",
    hidden = true,
    description =
        "Makes the cache of classes with which later commands start faster; the"
            + " launcher calls it.")
public final class WarmUp implements Runnable {
  private static final String SESSION =
      """
      inputs main
      output main
      entry_points
      new_array xs []f64 0
      call main r xs
      fields "([]f64, f64)"
      project y r 1
      frobnicate
      free r y
      """;

  @Override
  public void run() {
    for (var command :
        new Object[] {new CheckCommand(), new DataRunCommand(), new ServerCommand()}) {
      new CommandLine(command).getUsageMessage();
    }
    var source = ProgramSource.of("warm-up.fut", program());
    Compiler.check(source);
    // The second session on the JVM finds the classes that the first one has made.
    for (var backend : List.of(Backend.JVM, Backend.JVM, Backend.INTERPRET)) {
      serve(source, CompileOptions.of(backend));
    }
    try {
      Compiler.check(ProgramSource.of("faulty.fut", "entry main (x: i32) = x + y + true"));
    } catch (UserError e) {
      ErrorReport.print(e, new PrintWriter(OutputStream.nullOutputStream()));
    }
  }

  private static void serve(ProgramSource source, CompileOptions options) {
    try (var program = Compiler.open(source, options)) {
      var out = new PrintStream(OutputStream.nullOutputStream());
      new Server(program, EntryAttributes.of(source), out)
          .serve(new BufferedReader(new StringReader(SESSION)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String program() {
    try (var in = WarmUp.class.getResourceAsStream("/dev/kenaz/jobs/warm-up.fut")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
