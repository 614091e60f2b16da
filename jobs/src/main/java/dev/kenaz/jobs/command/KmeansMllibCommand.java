package dev.kenaz.jobs.command;

import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.jobs.bench.KmeansComparison;
import dev.kenaz.jobs.bench.KmeansJob;
import dev.kenaz.spark.ArrowShards;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Prim;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares k-means with that of Spark MLlib. */
@Command(
    name = "kmeans-mllib",
    description =
        "Compares k-means with that of Spark MLlib: the cost, and the time of an iteration.")
public final class KmeansMllibCommand implements Callable<Integer> {
  @Parameters(paramLabel = "DATA", description = "An Arrow file, a folder of them, or a glob.")
  private Path data;

  @Option(
      names = "--columns",
      split = ",",
      description = "Use these columns; without this option, all.")
  private List<String> columns = List.of();

  @Option(
      names = "--k",
      defaultValue = "16",
      description = "Find so many centres (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1_000_000)
  private int k;

  @Option(
      names = "--iterations",
      defaultValue = "20",
      description = "Do so many iterations (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = InRange.MANY)
  private int iterations;

  @Option(
      names = "--seeds",
      defaultValue = "5",
      description = "Train each system so many times, and take the best cost (${DEFAULT-VALUE}).")
  @InRange(from = 1, to = 1000)
  private int seeds;

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
      names = "--type",
      defaultValue = "f32",
      description = "Compute with numbers of this type: f32 or f64 (${DEFAULT-VALUE}).")
  private String type;

  @Option(
      names = "--backend",
      defaultValue = "jvm",
      description =
          "Run Kenaz by this backend: jvm, cuda, simulate or interpret" + " (${DEFAULT-VALUE}).")
  private String backend;

  @Override
  public Integer call() {
    var options = new ReadOptions(columns, ReadOptions.Nulls.ERROR);
    var elem = Prim.named(type).orElseThrow();
    var shards = ArrowShards.of(data.toString(), options, elem, partitions);
    var job = new KmeansJob(data, type, k, backend);
    try (var spark = SparkStart.open("kenaz bench", Optional.of(master))) {
      new KmeansComparison(k, iterations, seeds, System.out::println)
          .run(spark, shards, job, SparkStart.cacheBytes(spark));
    }
    return 0;
  }
}
