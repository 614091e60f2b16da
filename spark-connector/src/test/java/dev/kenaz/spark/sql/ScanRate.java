package dev.kenaz.spark.sql;

import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.SparkSession;

/**
 * Measures how fast Spark reads 4 million rows of 16 f32: the same query over Arrow and Parquet
 * files, beside a plain read by Kenaz. It takes a folder for the files.
 */
public final class ScanRate {
  private static final int COLUMNS = 16;
  private static final int RUNS = 9;

  private ScanRate() {}

  public static void main(String[] args) throws IOException {
    var folder = Path.of(args[0]);
    long rows = args.length > 1 ? Long.parseLong(args[1]) : 4_000_000;
    try (var spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()) {
      var names = IntStream.range(0, COLUMNS).mapToObj(i -> "c" + i).toList();
      var data =
          spark
              .range(0, rows, 1, 2)
              .selectExpr(
                  names.stream()
                      .map(n -> "cast(rand(" + n.substring(1) + ") as float) as " + n)
                      .toArray(String[]::new));
      var sums = names.stream().map(n -> "sum(" + n + ")").collect(Collectors.joining(", "));
      var runs = new ArrayList<Run>();
      for (var format : List.of("arrow", "parquet")) {
        var place = folder.resolve(format).toString();
        data.write().format(format).mode("overwrite").save(place);
        var read = spark.read().format(format).load(place);
        read.createOrReplaceTempView(format);
        runs.add(
            new Run(
                "sums of 16 columns, " + format,
                () -> spark.sql("select " + sums + " from " + format).collectAsList()));
        runs.add(
            new Run(
                "sum of 1 column, " + format,
                () -> spark.sql("select sum(c3) from " + format).collectAsList()));
      }
      var arrow = folder.resolve("arrow").toString();
      runs.add(new Run("to a matrix, by Kenaz on one core", () -> matrix(arrow)));
      measure(runs, rows);
    }
  }

  private record Run(String name, Runnable work) {}

  private static void matrix(String place) {
    ArrowDataset.open(place).toMatrix(Prim.F32);
  }

  private static void measure(List<Run> runs, long rows) {
    var seconds = new double[runs.size()][RUNS];
    for (int k = -3; k < RUNS; k++) {
      for (int i = 0; i < runs.size(); i++) {
        long start = System.nanoTime();
        runs.get(i).work().run();
        if (k >= 0) {
          seconds[i][k] = (System.nanoTime() - start) / 1e9;
        }
      }
    }
    for (int i = 0; i < runs.size(); i++) {
      Arrays.sort(seconds[i]);
      double median = seconds[i][RUNS / 2];
      System.out.printf(
          Locale.ROOT,
          "%-36s %.3f s  %.2f million rows/s%n",
          runs.get(i).name(),
          median,
          rows / median / 1e6);
    }
  }
}
