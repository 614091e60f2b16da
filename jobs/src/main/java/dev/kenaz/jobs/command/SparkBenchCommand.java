package dev.kenaz.jobs.command;

import dev.kenaz.jobs.bench.SparkCost;
import dev.kenaz.spark.SparkStart;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures what Spark adds to a computation. */
@Command(
    name = "spark",
    description =
        "Measures what Spark adds to a computation: the time of a stage with almost no work, and of"
            + " an iteration of logistic regression.",
    mixinStandardHelpOptions = true)
public final class SparkBenchCommand implements Callable<Integer> {
  @Option(
      names = "--stages",
      split = ",",
      paramLabel = "PIECES",
      description = "Measure stages over so many pieces (${DEFAULT-VALUE}).",
      defaultValue = "8,64")
  @InRange(from = 1, to = 1_000_000)
  private int[] stages;

  @Option(
      names = "--rows",
      split = ",",
      paramLabel = "ROWS",
      description = "Measure iterations over so many rows (${DEFAULT-VALUE}).",
      defaultValue = "100000,1000000")
  @InRange(from = 1, to = 1L << 40)
  private long[] rows;

  @Option(
      names = "--partitions",
      defaultValue = "8",
      description = "Cut the rows of an iteration into so many partitions (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int partitions;

  @Option(
      names = "--repeats",
      defaultValue = "31",
      description =
          "Measure each thing so many times, after as many runs to warm up (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int repeats;

  @Option(
      names = "--master",
      defaultValue = "local[2]",
      description = "Run on this Spark master (${DEFAULT-VALUE}).")
  private String master;

  @Override
  public Integer call() {
    try (var spark = SparkStart.open("kenaz bench", Optional.of(master))) {
      var cost = new SparkCost(repeats, System.out::println);
      cost.stages(spark, stages);
      cost.iterations(spark, partitions, rows);
    }
    return 0;
  }
}
