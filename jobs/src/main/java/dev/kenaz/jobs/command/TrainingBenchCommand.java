package dev.kenaz.jobs.command;

import dev.kenaz.jobs.bench.TogetherComparison;
import dev.kenaz.jobs.bench.TrainingComparison;
import dev.kenaz.spark.SparkStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Compares trainings with those of Spark MLlib. */
@Command(
    name = "training",
    description =
        "Compares trainings with those of Spark MLlib on the same cached rows: the time of a fit,"
            + " and the objective.",
    mixinStandardHelpOptions = true)
public final class TrainingBenchCommand implements Callable<Integer> {
  @Option(
      names = "--only",
      split = ",",
      paramLabel = "TRAINING",
      description =
          "Compare these trainings: logistic, linear, softmax, mixture, components, factors,"
              + " centres; without this option, all.")
  private List<String> only = List.of();

  @Spec private CommandSpec spec;

  @Option(
      names = "--scale",
      defaultValue = "1",
      description = "Take this part of the rows (${DEFAULT-VALUE}).")
  @InRange(from = 0, to = 1000)
  private double scale;

  @Option(
      names = "--repeats",
      defaultValue = "3",
      description = "Fit so many times on each side (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1000)
  private int repeats;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "Before, let each side fit for so many seconds, once at least; with --together, once"
              + " (${DEFAULT-VALUE}).")
  @InRange(from = 0, to = 10_000)
  private double warmUp;

  @Option(
      names = "--partitions",
      defaultValue = "8",
      description = "Cut the rows into so many partitions (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int partitions;

  @Option(
      names = "--master",
      defaultValue = "local[2]",
      description = "Run on this Spark master (${DEFAULT-VALUE}).")
  private String master;

  @Option(
      names = "--together",
      paramLabel = "MODELS",
      description =
          "Compare so many models that share their passes over the rows with the same models, one"
              + " after the other, rather than with MLlib.")
  @InRange(from = 1, to = 1000)
  private Integer together;

  @Option(
      names = "--uncached",
      description = "With --together: executors make the rows again in each pass.")
  private boolean uncached;

  @Override
  public Integer call() {
    var cases = new ArrayList<TrainingComparison.Case>(List.of(TrainingComparison.Case.values()));
    var names = cases.stream().map(TrainingComparison.Case::toString).toList();
    for (var name : only) {
      if (!names.contains(name)) {
        throw new ParameterException(
            spec.commandLine(), "There is no training '" + name + "'; there are " + names);
      }
    }
    cases.removeIf(c -> !only.isEmpty() && !only.contains(c.toString()));
    try (var spark = SparkStart.open("kenaz bench", Optional.of(master))) {
      if (together != null) {
        new TogetherComparison(together, partitions, repeats, scale, !uncached, System.out::println)
            .run(spark, cases);
      } else {
        new TrainingComparison(partitions, warmUp, repeats, scale, System.out::println)
            .run(spark, cases);
      }
    }
    return 0;
  }
}
