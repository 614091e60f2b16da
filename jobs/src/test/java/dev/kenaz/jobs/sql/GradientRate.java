package dev.kenaz.jobs.sql;

import static java.util.stream.Collectors.joining;

import dev.kenaz.spark.sql.KenazFunctions;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.SparkSession;

/**
 * Measures how long the gradient of a mean loss by 16 weights and a bias takes as an aggregate
 * function: over all rows, and by 1,000 and 100,000 groups. The rows are cached as columns. It
 * takes the number of rows.
 */
public final class GradientRate {
  private static final int COLUMNS = 16;
  private static final int RUNS = 5;
  private static final String PROGRAM =
      """
      entry loss [n][d] (w: [d]f64) (b: f64) (x: [n][d]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\r t -> let e = f64.sum (map2 (*) w r) + b - t in e * e) x y) / f64.i64 n
      """;

  private GradientRate() {}

  public static void main(String[] args) throws IOException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 2_000_000;
    try (var spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .getOrCreate()) {
      var weights = new double[COLUMNS];
      Arrays.fill(weights, 0.5);
      KenazFunctions.registerGradientText(spark, "slope", PROGRAM, "loss", weights, 1.0);
      var names = IntStream.range(0, COLUMNS).mapToObj(i -> "c" + i).toList();
      var columns =
          names.stream().map(n -> "rand(" + n.substring(1) + ") as " + n).collect(joining(", "));
      spark.range(0, rows, 1, 4).createOrReplaceTempView("numbers");
      var table =
          spark.sql("select id % 1000 as k, id % 100000 as m, " + columns + " from numbers");
      table.cache().count();
      table.createOrReplaceTempView("rows");
      var call = "slope(array(" + String.join(", ", names) + "), c0)";
      var queries = new LinkedHashMap<String, String>();
      queries.put("all rows", "select " + call + " from rows");
      for (var key : List.of("k", "m")) {
        queries.put(
            (key.equals("k") ? "1,000" : "100,000") + " groups",
            "select sum(g.b) from (select %s, %s as g from rows group by %s)"
                .formatted(key, call, key));
      }
      measure(spark, queries);
    }
  }

  private static void measure(SparkSession spark, Map<String, String> queries) {
    var seconds =
        queries.keySet().stream().collect(Collectors.toMap(q -> q, _ -> new double[RUNS]));
    for (int k = -2; k < RUNS; k++) {
      for (var q : queries.entrySet()) {
        long start = System.nanoTime();
        spark.sql(q.getValue()).collectAsList();
        if (k >= 0) {
          seconds.get(q.getKey())[k] = (System.nanoTime() - start) / 1e9;
        }
      }
    }
    for (var q : queries.keySet()) {
      Arrays.sort(seconds.get(q));
      System.out.printf(Locale.ROOT, "%-20s %.2f s%n", q, seconds.get(q)[RUNS / 2]);
    }
  }
}
