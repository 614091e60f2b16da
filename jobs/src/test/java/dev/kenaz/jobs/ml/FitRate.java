package dev.kenaz.jobs.ml;

import static org.apache.spark.ml.functions.array_to_vector;
import static org.apache.spark.sql.functions.col;

import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.jobs.train.TableCopy;
import dev.kenaz.jobs.train.TrainJob;
import dev.kenaz.ml.classification.LogisticRegression;
import dev.kenaz.ml.clustering.KMeans;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.feature.VectorAssembler;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Measures what estimators of pipelines cost: KMeans beside {@code kenaz train} with the same
 * program on the same Arrow files, and a fit of few rows beside MLlib's. All take turns in one
 * process. It takes the number of rows for KMeans, which have 16 columns; 0 measures small fits
 * alone.
 */
public final class FitRate {
  private static final int COLUMNS = 16;
  private static final int ITERATIONS = 20;

  private FitRate() {}

  public static void main(String[] args) throws IOException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 1_000_000;
    int runs = args.length > 1 ? Integer.parseInt(args[1]) : 5;
    var folder = Files.createTempDirectory("kenaz-fit-rate-");
    try (var spark =
        SparkSession.builder().master("local[2]").config("spark.ui.enabled", false).getOrCreate()) {
      spark.sparkContext().setLogLevel("ERROR");
      if (rows > 0) {
        measure(runs, kmeans(spark, rows, folder));
      }
      measure(runs, small(spark));
    } finally {
      TableCopy.delete(folder);
    }
  }

  /** Rows of random numbers. */
  private static Dataset<Row> numbers(SparkSession spark, long rows, int columns) {
    return spark
        .range(0, rows, 1, 4)
        .selectExpr(
            IntStream.range(0, columns)
                .mapToObj(i -> "rand(%d) as c%d".formatted(i, i))
                .toArray(String[]::new));
  }

  private static String[] names(int columns) {
    return IntStream.range(0, columns).mapToObj(i -> "c" + i).toArray(String[]::new);
  }

  private static Map<String, Runnable> kmeans(SparkSession spark, long rows, Path folder) {
    var files = folder.resolve("rows").toString();
    var array = Arrays.stream(names(COLUMNS)).collect(Collectors.joining(",", "array(", ") as x"));
    numbers(spark, rows, COLUMNS)
        .selectExpr(array)
        .write()
        .format("arrow")
        .option("lists", "x=" + COLUMNS)
        .save(files);
    var read = spark.read().format("arrow").load(files).select(array_to_vector(col("x")).as("x"));
    var vectors =
        new VectorAssembler()
            .setInputCols(names(COLUMNS))
            .setOutputCol("x")
            .transform(numbers(spark, rows, COLUMNS))
            .select("x")
            .cache();
    vectors.count();
    var estimator =
        new KMeans().setK(16).setMaxIter(ITERATIONS).setTol(0).setSeed(1).setFeaturesCol("x");
    var all = new LinkedHashMap<String, Runnable>();
    var turn = new AtomicInteger();
    all.put(
        "kenaz train, Arrow files",
        () -> train(spark, again(Path.of(files), turn.incrementAndGet()), folder));
    all.put("KMeans, Arrow files", () -> estimator.fit(read));
    all.put("KMeans, cached vectors", () -> estimator.fit(vectors));
    return all;
  }

  /** Executors know files by their names, so under other ones they read them again, as in a fit. */
  private static String again(Path files, int turn) {
    try (var all = Files.list(files)) {
      var place = Files.createDirectory(files.resolveSibling("rows-" + turn));
      for (var file : all.toList()) {
        Files.createLink(place.resolve(file.getFileName()), file);
      }
      return place.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void train(SparkSession spark, String files, Path folder) {
    var job =
        DatasetTraining.of("kmeans-rows", "x")
            .with("k", 16)
            .with("parallel", true)
            .with("rounds", 2)
            .with("max_iter", ITERATIONS)
            .with("tol", 0.0)
            .with("seed", 1)
            .job();
    job.put("output", folder.resolve("model").toString());
    job.withObject("/data").put("path", files);
    var train =
        new TrainJob(ConfigReader.train(job, "the job"), job, EstimatorPrograms.folder(), _ -> {});
    train.run(Existing.OVERWRITE, JavaSparkContext.fromSparkContext(spark.sparkContext()));
  }

  private static Map<String, Runnable> small(SparkSession spark) {
    var rows =
        new VectorAssembler()
            .setInputCols(names(8))
            .setOutputCol("features")
            .transform(numbers(spark, 2000, 8).repartition(2))
            .selectExpr("features", "if(c0 + c1 + 0.3 * c2 > 1.1, 1D, 0D) as label")
            .cache();
    rows.count();
    var ours = new LogisticRegression().setRegParam(0.01).setMaxIter(10);
    var theirs = new org.apache.spark.ml.classification.LogisticRegression();
    theirs.setRegParam(0.01).setMaxIter(10);
    var all = new LinkedHashMap<String, Runnable>();
    all.put("LogisticRegression, 2000 rows", () -> ours.fit(rows));
    all.put("that of MLlib", () -> theirs.fit(rows));
    return all;
  }

  private static void measure(int runs, Map<String, Runnable> all) {
    var seconds = all.keySet().stream().collect(Collectors.toMap(n -> n, _ -> new double[runs]));
    var first = new LinkedHashMap<String, Double>();
    for (int k = -2; k < runs; k++) {
      for (var e : all.entrySet()) {
        long start = System.nanoTime();
        e.getValue().run();
        double taken = (System.nanoTime() - start) / 1e9;
        first.putIfAbsent(e.getKey(), taken);
        if (k >= 0) {
          seconds.get(e.getKey())[k] = taken;
        }
      }
    }
    for (var name : all.keySet()) {
      Arrays.sort(seconds.get(name));
      System.out.printf(
          Locale.ROOT,
          "%-32s %.2f s (the first time %.2f s)%n",
          name,
          seconds.get(name)[runs / 2],
          first.get(name));
    }
  }
}
