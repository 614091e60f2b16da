package dev.kenaz.jobs.command;

import dev.kenaz.distribute.Rates;
import dev.kenaz.distribute.report.PlanReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows how an entry point is computed over a dataset in pieces. */
@Command(
    name = "plan",
    description =
        "Shows how an entry point is computed over a dataset in pieces, and what moves between"
            + " them; nothing is run.",
    mixinStandardHelpOptions = true)
public final class PlanCommand implements Callable<Integer> {
  @Spec private CommandSpec command;
  @Mixin private CompilerOptions compiler;

  @Option(
      names = {"-e", "--entry"},
      defaultValue = "main",
      description = "The function to plan (${DEFAULT-VALUE}).")
  private String entry;

  @Option(
      names = "--rows",
      paramLabel = "PARAMETER",
      split = ",",
      required = true,
      description = "Parameters that are the dataset: arrays whose rows are divided into pieces.")
  private List<String> rows;

  @Option(
      names = "--sizes",
      paramLabel = "NAME=NUMBER",
      split = ",",
      description = "Sizes and integer parameters, such as n=1e9,d=64, to tell bytes by.")
  private Map<String, String> sizes = new TreeMap<>();

  @Option(
      names = "--pieces",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Number of pieces (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1e15)
  private long pieces;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "Number of cores, to tell times by; as many as pieces unless given.")
  @InRange(from = 1, to = 1e15)
  private Long cores;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE.svg",
      description = "Also draw the plan into this file.")
  private Path picture;

  @Override
  public Integer call() throws IOException {
    PieceOptions.requireNames(rows, command);
    if (picture != null && !picture.toString().endsWith(".svg")) {
      throw new ParameterException(
          command.commandLine(), picture + " doesn't end in .svg, which is what -o writes");
    }
    long all = cores == null ? pieces : cores;
    var report = PlanReport.of(compiler.plan(entry, rows).plan(), sizes, pieces, all, Rates.SPARK);
    report.lines().forEach(System.out::println);
    if (picture != null) {
      report.draw(picture);
    }
    return 0;
  }
}
