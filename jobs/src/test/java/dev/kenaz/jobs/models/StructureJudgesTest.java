package dev.kenaz.jobs.models;

import static dev.kenaz.jobs.models.Sample.numbers;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.clustering.GaussianMixture;
import org.apache.spark.ml.clustering.KMeans;
import org.apache.spark.ml.feature.PCA;
import org.apache.spark.ml.recommendation.ALS;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mixtures, clusters, components and factors, judged by MLlib's estimators and by what holds for
 * the methods in theory. It is slow: MLlib and Spark train the models, too.
 */
@Tag("slow")
final class StructureJudgesTest {
  private static final int ROWS = 600;
  private static final int WIDTH = 3;

  @TempDir static Path folder;
  private static JavaSparkContext spark;
  private static Sample points;

  /** Three clouds of different weights, places and shapes. */
  @BeforeAll
  static void open() {
    spark = Sample.spark();
    var random = new Random(11);
    var x = new double[ROWS * WIDTH];
    for (int i = 0; i < ROWS; i++) {
      int cloud = Math.max(0, i % 6 - 3);
      double shared = random.nextGaussian();
      for (int j = 0; j < WIDTH; j++) {
        x[i * WIDTH + j] =
            4 * (cloud == j ? 1 : 0)
                + 0.6 * shared * (cloud - 1)
                + (0.5 + 0.2 * j) * random.nextGaussian();
      }
    }
    points = sample("x", ArrayValue.ofDoubles(x, ROWS, WIDTH));
  }

  @AfterAll
  static void close() {
    spark.close();
  }

  private static Sample sample(String name, ArrayValue column) {
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put(name, column);
    return new Sample(folder, columns);
  }

  /** Expectation maximisation never makes a model less likely, and ends where the slope is zero. */
  @ParameterizedTest
  @ValueSource(strings = {"gmm", "gmm-diagonal", "gmm-spherical"})
  void mixturesBecomeMoreLikely(String program) {
    var end =
        points.train(
            spark,
            program,
            """
            "parameters": {"components": 3, "floor": 0}, "init": {"rows": 150}, "iterations": 150
            """);
    var losses = end.losses();
    for (int i = 1; i < losses.size(); i++) {
      assertTrue(losses.get(i) <= losses.get(i - 1) + 1e-12, "iteration " + i + ": " + losses);
    }
    assertTrue(losses.getLast() < losses.getFirst() - 0.01, losses.toString());
    try (var compiled = Sample.program(program, "")) {
      var others = List.<Value>of(points.columns().get("x"));
      assertEquals(losses.getLast(), Sample.loss(compiled, end.model(), others), 1e-9);
      assertEquals(0, Sample.slope(compiled, end.model(), others), 1e-5);
    }
  }

  @Test
  void mixtureIsAsLikelyAsMllibs() {
    var end =
        points.train(
            spark, "gmm", "\"parameters\": {\"components\": 3, \"floor\": 0}, \"iterations\": 150");
    var mllib = new GaussianMixture().setK(3).setMaxIter(150).setTol(1e-9).setSeed(1);
    var fit = mllib.fit(points.rows(spark));
    double theirs = -fit.summary().logLikelihood() / ROWS;
    assertEquals(theirs, end.losses().getLast(), 1e-4);
  }

  /** The same loss, by its gradient: the optimiser ends at a mixture that is as likely. */
  @Test
  void gradientFindsTheMixtureToo() {
    var parameters = "\"parameters\": {\"components\": 3, \"floor\": 0}, ";
    var steps = points.train(spark, "gmm", parameters + "\"iterations\": 150");
    var slope =
        points.train(
            spark,
            "gmm",
            parameters
                + "\"optimiser\": {\"name\": \"l-bfgs\"}, \"iterations\": 300, \"tolerance\":"
                + " 1e-7");
    assertEquals(steps.losses().getLast(), slope.losses().getLast(), 1e-6);
  }

  @Test
  void centresAreAsNearAsMllibs() {
    var columns = new LinkedHashMap<String, ArrayValue>();
    var single = points.columns().get("x");
    columns.put("points", ArrayValue.ofDoubles(Prim.F32, single.toDoubleArray(), ROWS, WIDTH));
    var end =
        new Sample(folder, columns)
            .train(spark, "kmeans", "\"parameters\": {\"k\": 3}, \"iterations\": 30");
    var fit = new KMeans().setK(3).setMaxIter(100).setTol(1e-9).setSeed(1).fit(points.rows(spark));
    double theirs = fit.summary().trainingCost();
    assertEquals(theirs, end.losses().getLast(), 1e-4 * theirs);
    var large =
        points.train(
            spark,
            "kmeans-large",
            """
            "parameters": {"k": 3, "keep": 0}, "init": {"rows": "all"}, "iterations": 30
            """);
    assertEquals(theirs, ROWS * large.losses().getLast(), 1e-4 * theirs);
  }

  /**
   * The same rows, dense: what the sparse steps have found costs as much, and no step changes it.
   */
  @Test
  void sparseClustersAreThoseOfDenseRows() {
    int rows = 200;
    int width = 4;
    int dimensions = 30;
    var random = new Random(3);
    var place = new long[rows * width];
    var value = new double[rows * width];
    var dense = new double[rows * dimensions];
    for (int i = 0; i < place.length; i++) {
      boolean shorter = i % 7 == 3;
      place[i] = shorter ? 0 : i / width % 3 * 10 + 1 + i % width * 2 + random.nextInt(2);
      value[i] = shorter ? 0 : 1 + random.nextDouble();
      dense[i / width * dimensions + (int) place[i]] += value[i];
    }
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("place", ArrayValue.ofLongs(place, rows, width));
    columns.put("value", ArrayValue.ofDoubles(value, rows, width));
    var end =
        new Sample(folder, columns)
            .train(
                spark,
                "kmeans-sparse",
                """
                "parameters": {"k": 5, "dimensions": 30, "keep": 0},
                "iterations": 100, "tolerance": 1e-15
                """);
    var x = ArrayValue.ofDoubles(dense, rows, dimensions);
    try (var large = Sample.program("kmeans-large", "")) {
      assertEquals(end.losses().getLast(), Sample.loss(large, end.model(), List.of(x)), 1e-12);
      var arguments = new ArrayList<>(end.model());
      arguments.addAll(List.of(x, ScalarValue.f64(0)));
      var next = large.entry("step").call(arguments);
      for (int part = 0; part < 2; part++) {
        assertArrayEquals(numbers(end.model().get(part)), numbers(next.get(part)), 1e-12);
      }
    }
  }

  @Test
  void componentsAreMllibs() {
    var end = points.train(spark, "pca", "\"parameters\": {\"components\": 2}, \"iterations\": 1");
    var fit = new PCA().setK(2).setInputCol("features").setOutputCol("out").fit(points.rows(spark));
    var ours = numbers(end.model().get(0));
    double explained = 0;
    for (int c = 0; c < 2; c++) {
      double same = 0;
      for (int j = 0; j < WIDTH; j++) {
        same += fit.pc().apply(j, c) * ours[c * WIDTH + j];
      }
      assertEquals(1, Math.abs(same), 1e-10, "component " + c);
      explained += fit.explainedVariance().apply(c);
    }
    assertEquals(1 - explained, end.losses().getLast(), 1e-10);
  }

  private static final int USERS = 25;
  private static final int ITEMS = 20;

  /** Ratings of nearly half of the pairs, with factors that are known, and those of the others. */
  private static List<double[]> ratings(int seed, double noise, double bias) {
    var random = new Random(seed);
    var users = new double[USERS][2];
    var items = new double[ITEMS][2];
    for (var f : Arrays.asList(users, items)) {
      for (var row : f) {
        Arrays.setAll(row, j -> random.nextGaussian());
      }
    }
    var all = new ArrayList<double[]>();
    for (int u = 0; u < USERS; u++) {
      for (int i = 0; i < ITEMS; i++) {
        double r = bias * (1 + 0.1 * u - 0.2 * i) + noise * random.nextGaussian();
        r += users[u][0] * items[i][0] + users[u][1] * items[i][1];
        all.add(new double[] {u, i, r});
      }
    }
    Collections.shuffle(all, random);
    return all;
  }

  private static ArrayValue longs(List<double[]> rows, int column) {
    return ArrayValue.ofLongs(
        Prim.I64, rows.stream().mapToLong(r -> (long) r[column]).toArray(), rows.size());
  }

  private static ArrayValue doubles(List<double[]> rows, int column) {
    return ArrayValue.ofDoubles(rows.stream().mapToDouble(r -> r[column]).toArray(), rows.size());
  }

  /** Both minimise the squared errors plus a penalty of each row for each of its ratings. */
  @Test
  void factorsAreAsGoodAsMllibs() {
    var known = ratings(3, 0.1, 0).subList(0, 250);
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("user", longs(known, 0));
    columns.put("item", longs(known, 1));
    columns.put("rating", doubles(known, 2));
    double l2 = 0.01;
    var end =
        new Sample(folder, columns)
            .train(
                spark,
                "factorisation",
                """
                "parameters": {"users": 25, "items": 20, "rank": 2, "l2": 0.01}, "iterations": 200
                """);
    double ours = objective(known, numbers(end.model().get(1)), numbers(end.model().get(0)), l2);

    var rows = known.stream().map(r -> RowFactory.create((int) r[0], (int) r[1], (float) r[2]));
    var schema =
        new StructType(
            new StructField[] {
              new StructField("user", DataTypes.IntegerType, false, Metadata.empty()),
              new StructField("item", DataTypes.IntegerType, false, Metadata.empty()),
              new StructField("rating", DataTypes.FloatType, false, Metadata.empty())
            });
    var data = Sample.session(spark).createDataFrame(rows.toList(), schema).coalesce(1);
    var als = new ALS().setRank(2).setRegParam(l2).setMaxIter(40).setNumBlocks(1).setSeed(1);
    als.setCheckpointInterval(-1);
    var fit = als.setItemCol("item").setUserCol("user").setRatingCol("rating").fit(data);
    var users = factors(fit.userFactors().collectAsList(), USERS);
    var items = factors(fit.itemFactors().collectAsList(), ITEMS);
    double theirs = objective(known, users, items, l2);
    assertTrue(ours <= theirs * 1.01, ours + " " + theirs);
  }

  private static double[] factors(List<Row> rows, int count) {
    var all = new double[2 * count];
    for (var r : rows) {
      List<Float> of = r.getList(1);
      all[2 * r.getInt(0)] = of.get(0);
      all[2 * r.getInt(0) + 1] = of.get(1);
    }
    return all;
  }

  private static double objective(List<double[]> known, double[] users, double[] items, double l2) {
    double sum = 0;
    for (var r : known) {
      int u = 2 * (int) r[0];
      int i = 2 * (int) r[1];
      double error = r[2] - users[u] * items[i] - users[u + 1] * items[i + 1];
      sum += error * error;
      for (int j = 0; j < 2; j++) {
        sum += l2 * (users[u + j] * users[u + j] + items[i + j] * items[i + j]);
      }
    }
    return sum;
  }

  /** What a factorisation machine learns of some pairs tells the others. */
  @Test
  void interactionsOfPairsAreFound() {
    var all = ratings(4, 0.05, 1);
    var known = all.subList(0, 350);
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("x", pairs(known));
    columns.put("y", doubles(known, 2));
    var end =
        new Sample(folder, columns)
            .train(
                spark,
                "factorisation-machine",
                """
                "parameters": {"sizes": [25, 20], "rank": 2, "l2": 1e-5},
                "optimiser": {"name": "l-bfgs"}, "iterations": 300, "tolerance": 1e-8
                """);
    var others = all.subList(350, all.size());
    try (var program = Sample.program("factorisation-machine", "")) {
      var arguments = new ArrayList<>(end.model());
      arguments.add(pairs(others));
      arguments.add(ArrayValue.ofLongs(new long[] {USERS, ITEMS}, 2));
      var predicted = numbers(program.entry("predict").call(arguments).getFirst());
      double squares = 0;
      for (int i = 0; i < predicted.length; i++) {
        squares += Math.pow(predicted[i] - others.get(i)[2], 2);
      }
      assertTrue(
          Math.sqrt(squares / predicted.length) < 0.15,
          "rmse " + Math.sqrt(squares / predicted.length));
    }
  }

  private static ArrayValue pairs(List<double[]> rows) {
    var flat = rows.stream().flatMapToLong(r -> LongStream.of((long) r[0], (long) r[1]));
    return ArrayValue.ofLongs(flat.toArray(), rows.size(), 2);
  }
}
