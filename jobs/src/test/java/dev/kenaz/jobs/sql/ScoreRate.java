package dev.kenaz.jobs.sql;

import dev.kenaz.spark.sql.KenazFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.classification.LogisticRegressionModel;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/**
 * Measures how fast rows of 16 numbers are scored by a logistic model: by a function of Kenaz, by a
 * function of Java that is called for each row, of an array or of a row, and by MLlib. The rows are
 * those of Arrow files, and cached: as 16 columns, as arrays, and as MLlib's vectors. Each run has
 * a plan of its own, as Spark would give again what the same plan has shuffled before. It takes the
 * number of rows.
 */
public final class ScoreRate {
  private static final int COLUMNS = 16;
  private static final int RUNS = 5;
  private static final String PROGRAM =
      """
      entry score [d] (w: [d]f64) (b: f64) (x: [d]f64) : f64 =
        1 / (1 + f64.exp (-(f64.sum (map2 (*) w x) + b)))
      entry sum [n] [d] (w: [d]f64) (b: f64) (xs: [n][d]f64) : f64 =
        f64.sum (map (score w b) xs)
      """;

  private ScoreRate() {}

  public static void main(String[] args) throws IOException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 2_000_000;
    try (var spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()) {
      var names = IntStream.range(0, COLUMNS).mapToObj(i -> "c" + i).toArray(String[]::new);
      var numbers =
          spark
              .range(0, rows, 1, 4)
              .selectExpr(
                  Arrays.stream(names)
                      .map(n -> "rand(" + n.substring(1) + ") as " + n)
                      .toArray(String[]::new))
              .selectExpr("*", "if(c0 + c1 > 1, 1D, 0D) as label");
      var table =
          new VectorAssembler()
              .setInputCols(names)
              .setOutputCol("features")
              .transform(numbers)
              .selectExpr("features", "label", "array(" + String.join(",", names) + ") as x");
      var model = new LogisticRegression().setMaxIter(3).fit(table.limit(10_000));
      register(spark, model.coefficients().toArray(), model.intercept());
      var folder = Files.createTempDirectory("kenaz-score-rate");
      try {
        var queries = new LinkedHashMap<String, Supplier<Dataset<Row>>>();
        add(queries, "Arrow", model, saved(numbers, folder), saved(table, folder), names);
        add(queries, "cached", model, cached(numbers), cached(table), names);
        measure(queries, rows);
      } finally {
        FileUtils.deleteQuietly(folder.toFile());
      }
    }
  }

  private static Dataset<Row> cached(Dataset<Row> rows) {
    rows.cache().count();
    return rows;
  }

  private static Dataset<Row> saved(Dataset<Row> rows, Path folder) {
    var path = folder.resolve("of" + rows.columns().length).toString();
    var lists = List.of(rows.columns()).contains("x") ? "x=" + COLUMNS : "";
    rows.write().format("arrow").option("lists", lists).save(path);
    return rows.sparkSession().read().format("arrow").load(path);
  }

  private static void add(
      Map<String, Supplier<Dataset<Row>>> queries,
      String source,
      LogisticRegressionModel model,
      Dataset<Row> numbers,
      Dataset<Row> table,
      String[] names) {
    var columns = String.join(",", names);
    BiConsumer<String, String> ofNumbers =
        (what, score) ->
            queries.put(
                source + ": " + what, () -> numbers.selectExpr(score.replace("$", columns)));
    BiConsumer<String, String> ofTable =
        (what, score) -> queries.put(source + ": " + what, () -> table.selectExpr(score));
    ofNumbers.accept("Kenaz, columns", "sum(kenaz_score(array($)))");
    ofTable.accept("Kenaz, arrays", "sum(kenaz_score(x))");
    ofTable.accept("Kenaz, sum of arrays", "kenaz_sum(x)");
    ofNumbers.accept("Java, columns", "sum(java_score(array($)))");
    ofTable.accept("Java, arrays", "sum(java_score(x))");
    ofNumbers.accept("Java, rows", "sum(java_row_score(struct($)))");
    queries.put(source + ": MLlib", () -> model.transform(table).selectExpr("sum(prediction)"));
    ofNumbers.accept("one column", "sum(c0)");
  }

  private static void register(SparkSession spark, double[] weights, double bias) {
    KenazFunctions.registerText(spark, "kenaz_score", PROGRAM, "score", weights, bias);
    KenazFunctions.registerAggregateText(spark, "kenaz_sum", PROGRAM, "sum", weights, bias);
    UDF1<scala.collection.Seq<Double>, Double> ofArray = x -> score(weights, bias, x::apply);
    UDF1<Row, Double> ofRow = row -> score(weights, bias, row::getDouble);
    spark.udf().register("java_score", ofArray, DataTypes.DoubleType);
    spark.udf().register("java_row_score", ofRow, DataTypes.DoubleType);
  }

  private static double score(double[] weights, double bias, IntToDoubleFunction x) {
    double sum = bias;
    for (int i = 0; i < COLUMNS; i++) {
      sum += weights[i] * x.applyAsDouble(i);
    }
    return 1 / (1 + Math.exp(-sum));
  }

  private static void measure(Map<String, Supplier<Dataset<Row>>> queries, long rows) {
    var seconds =
        queries.keySet().stream().collect(Collectors.toMap(q -> q, _ -> new double[RUNS]));
    for (int k = -2; k < RUNS; k++) {
      for (var q : queries.entrySet()) {
        long start = System.nanoTime();
        q.getValue().get().collectAsList();
        if (k >= 0) {
          seconds.get(q.getKey())[k] = (System.nanoTime() - start) / 1e9;
        }
      }
    }
    for (var q : queries.keySet()) {
      Arrays.sort(seconds.get(q));
      double median = seconds.get(q)[RUNS / 2];
      System.out.printf(
          Locale.ROOT, "%-30s %.2f s  %.2f million rows/s%n", q, median, rows / median / 1e6);
    }
  }
}
