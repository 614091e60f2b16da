package dev.kenaz.spark.sql;

import static org.apache.spark.sql.functions.col;

import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.ReadOptions;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.PiecewiseEntry;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.ShardFunction;
import dev.kenaz.spark.ShardProgram;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Measures on one core how fast rows that Spark reads become shards: 4 million rows of 16 f32
 * through the data source {@code arrow}, beside a plain read by Kenaz; and 3 million flights of a
 * Parquet table. It takes a folder for the files, and the sample of flights.
 */
public final class ShardRate {
  private static final int COLUMNS = 16;
  private static final int RUNS = 15;
  private static final int WARM_UP = 15;
  private static final int TIMES = 15;
  private static final int SHARDS = 8;

  private ShardRate() {}

  private record Run(String name, Runnable work, long bytes) {}

  public static void main(String[] args) throws IOException {
    var folder = Path.of(args[0]);
    try (var spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
            .getOrCreate()) {
      var context = JavaSparkContext.fromSparkContext(spark.sparkContext());
      var names = IntStream.range(0, COLUMNS).mapToObj(i -> "c" + i).toList();
      long rows = 4_000_000;
      var arrow = folder.resolve("rows").toString();
      spark
          .range(0, rows, 1, 2)
          .selectExpr(
              names.stream()
                  .map(n -> "cast(rand(" + n.substring(1) + ") as float) as " + n)
                  .toArray(String[]::new))
          .write()
          .format("arrow")
          .mode("overwrite")
          .save(arrow);
      var flights = folder.resolve("flights").toString();
      var sample = spark.read().format("arrow").load(args[1]);
      var all = sample;
      for (int i = 1; i < TIMES; i++) {
        all = all.union(sample);
      }
      long count = all.count();
      all.coalesce(2)
          .write()
          .mode("overwrite")
          .option("path", flights)
          .format("parquet")
          .saveAsTable("flights");
      var columns = List.of("delay", "distance", "time");
      var ofRow =
          Arrays.stream(
              sample.select(col("delay"), col("distance"), col("time")).schema().fields());
      long width = ofRow.mapToLong(f -> f.dataType().defaultSize()).sum();
      var files =
          new TableRows.Source(null, null, Optional.of("arrow"), Map.of(), Optional.of(arrow));
      var table = new TableRows.Source(Optional.of("flights"), null, null, Map.of(), null);
      var runs = new ArrayList<Run>();
      runs.add(
          new Run(
              "16 columns of f32, by Kenaz",
              () -> matrices(arrow, names),
              rows * COLUMNS * Float.BYTES));
      runs.add(
          new Run(
              "16 columns of f32, through Spark",
              () -> shards(context, files, names),
              rows * COLUMNS * Float.BYTES));
      runs.add(
          new Run(
              count + " flights in Parquet", () -> shards(context, table, columns), count * width));
      measure(runs);
    }
  }

  private static void matrices(String place, List<String> names) {
    var data = ArrowDataset.open(List.of(place), ReadOptions.ALL.withColumns(names));
    data.partitions(SHARDS).forEach(p -> p.toMatrix(Prim.F32));
  }

  /** Reads all rows into shards, and does no more with them than a task that has no work. */
  private static void shards(
      JavaSparkContext context, TableRows.Source source, List<String> names) {
    var text = "entry main [n][d] (x: [n][d]f32) = f32.sum (map f32.sum x)";
    var entry =
        PiecewiseEntry.plan(
                ProgramSource.of("rate.fut", text),
                "main",
                List.of("x"),
                CompileOptions.of(Backend.JVM))
            .program();
    var kept = TableRows.keep(context, source, names, "table", false, 1);
    var sources = List.of(new ParameterData.Source("x", "table", names));
    var tables = Map.of("table", kept.parts().inParts());
    var nulls = ReadOptions.Nulls.ERROR;
    var data = ParameterData.open(entry, sources, tables, List.of(), nulls, true);
    var opened = new OpenedData(data, List.of(kept.parts()));
    var cuts = data.pieces(OptionalInt.of(SHARDS), SHARDS);
    var runner = new SparkRunner(context, opened.shards(cuts), SparkStart.cacheBytes(context));
    runner.run(new NoWork(), List.of());
  }

  private record NoWork() implements ShardProgram {
    @Override
    public String key() {
      return "no work";
    }

    @Override
    public String title() {
      return "no work";
    }

    @Override
    public ShardFunction open() {
      return new Nothing();
    }
  }

  private record Nothing() implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      return List.of(ScalarValue.i64(values.getFirst().shape()[0]));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      long rows =
          ((ScalarValue) left.getFirst()).asLong() + ((ScalarValue) right.getFirst()).asLong();
      return List.of(ScalarValue.i64(rows));
    }
  }

  private static void measure(List<Run> runs) {
    var seconds = new double[runs.size()][RUNS];
    var ofProcessor = new double[runs.size()][RUNS];
    for (int k = -WARM_UP; k < RUNS; k++) {
      for (int i = 0; i < runs.size(); i++) {
        long start = System.nanoTime();
        long cpu = cpu();
        runs.get(i).work().run();
        if (k >= 0) {
          seconds[i][k] = (System.nanoTime() - start) / 1e9;
          ofProcessor[i][k] = (cpu() - cpu) / 1e9;
        }
      }
    }
    for (int i = 0; i < runs.size(); i++) {
      Arrays.sort(seconds[i]);
      Arrays.sort(ofProcessor[i]);
      double median = ofProcessor[i][RUNS / 2];
      System.out.printf(
          Locale.ROOT,
          "%-36s %.3f s, of the processor %.3f s (%.3f-%.3f), %.0f MB/s%n",
          runs.get(i).name(),
          seconds[i][RUNS / 2],
          median,
          ofProcessor[i][0],
          ofProcessor[i][RUNS - 1],
          runs.get(i).bytes() / median / 1e6);
    }
  }

  /** Returns the time that all threads have had a processor, also those of the compiler. */
  private static long cpu() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return system.getProcessCpuTime();
  }
}
