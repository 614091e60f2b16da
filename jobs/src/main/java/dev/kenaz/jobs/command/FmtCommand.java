package dev.kenaz.jobs.command;

import dev.kenaz.jobs.ExitStatus;
import dev.kenaz.source.Formatter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tidies programs. */
@Command(
    name = "fmt",
    description = "Tidies programs in place; without any, standard input to standard output.",
    mixinStandardHelpOptions = true)
public final class FmtCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "PROGRAM")
  private List<Path> files = List.of();

  @Option(
      names = {"--check", "-check"},
      description = "Change nothing, but fail if something would change.")
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
      var text = Files.readString(file);
      var tidy = Formatter.format(file.toString(), text);
      if (!tidy.equals(text) && check) {
        System.out.println(file + " is not tidy");
        status = ExitStatus.BUG;
      } else if (!tidy.equals(text)) {
        Files.writeString(file, tidy);
      }
    }
    return status;
  }
}
