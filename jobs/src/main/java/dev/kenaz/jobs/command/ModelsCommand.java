package dev.kenaz.jobs.command;

import dev.kenaz.jobs.train.ModelTable;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tells which models are in folders. */
@Command(name = "models", description = "Tells which models are in folders, and how good they are.")
public final class ModelsCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "FOLDER",
      arity = "1..*",
      description = "Folders of models, or folders around these.")
  private List<Path> folders;

  @Option(
      names = "--by",
      defaultValue = "loss",
      paramLabel = "METRIC",
      description =
          "Sort by this number, the smallest first; with --by=-METRIC, the largest first"
              + " (${DEFAULT-VALUE}).")
  private String by;

  @Option(names = "--json", description = "Print an array of JSON.")
  private boolean json;

  @Override
  public Integer call() {
    var table = ModelTable.of(folders, by);
    if (json) {
      System.out.println(table.json().toPrettyString());
    } else if (table.runs().isEmpty() && table.faults().isEmpty()) {
      System.out.println("no models");
    } else {
      table.lines().forEach(System.out::println);
    }
    return 0;
  }
}
