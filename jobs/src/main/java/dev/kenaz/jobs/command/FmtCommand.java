package dev.kenaz.jobs.command;

import static dev.kenaz.error.ErrorCode.K1100;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.ErrorReport;
import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.source.Formatter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Formats programs. */
@Command(
    name = "fmt",
    description =
        "Formats programs in place; without a program, it formats standard input to"
            + " standard output.")
public final class FmtCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "PROGRAM")
  private List<Path> files = List.of();

  @Option(
      names = {"--check", "-check"},
      description = "Change nothing, and fail if something would change.")
  private boolean check;

  @Override
  public Integer call() throws IOException {
    if (files.isEmpty()) {
      var text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
      System.out.print(Formatter.format("<standard input>", text));
      return ExitStatus.OK;
    }
    int status = ExitStatus.OK;
    for (var file : files) {
      try {
        status = Math.max(status, tidy(file));
      } catch (UserError e) {
        // The other files may have no faults.
        status = Math.max(status, ErrorReport.print(e, new PrintWriter(System.err, true)));
      }
    }
    return status;
  }

  private int tidy(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new UserError(K1100, "there is no file " + file, "check the path");
    }
    var text = Files.readString(file);
    var tidy = Formatter.format(file.toString(), text);
    if (!tidy.equals(text) && check) {
      System.out.println(file + " is not tidy");
      return ExitStatus.BUG;
    }
    if (!tidy.equals(text)) {
      Files.writeString(file, tidy);
    }
    return ExitStatus.OK;
  }
}
