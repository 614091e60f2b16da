package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.ml.classification.MultilayerPerceptronClassifier;
import dev.kenaz.ml.recommendation.ALS;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.spark.ml.Pipeline;
import org.apache.spark.ml.PipelineModel;
import org.apache.spark.ml.PipelineStage;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.recommendation.ALSModel;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** ALS and MultilayerPerceptronClassifier, judged by MLlib's on the same rows. */
final class FactorsAndNetworksTest {
  private static final StructType RATING =
      new StructType()
          .add("user", DataTypes.IntegerType)
          .add("item", DataTypes.LongType)
          .add("rating", DataTypes.FloatType);

  private static final StructType POINT =
      new StructType().add("features", new VectorUDT()).add("label", DataTypes.DoubleType);

  private static SparkSession spark;

  @BeforeAll
  static void open() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  /** Most ratings of 30 users for 20 items, which two factors explain, with noise. */
  private static Dataset<Row> ratings() {
    var random = new Random(4);
    double[][] factors = new double[50][];
    Arrays.setAll(factors, _ -> new double[] {random.nextDouble() + 0.5, random.nextDouble() * 2});
    var rows = new ArrayList<Row>();
    for (int u = 0; u < 30; u++) {
      for (int i = 0; i < 20; i++) {
        if (random.nextInt(4) > 0) {
          double rating = factors[u][0] * factors[30 + i][0] - factors[u][1] * factors[30 + i][1];
          // Identities are any integers.
          rows.add(
              RowFactory.create(
                  1000 - 37 * u, 7L * i, (float) (rating + 0.1 * random.nextGaussian())));
        }
      }
    }
    return spark.createDataFrame(rows, RATING);
  }

  private static void sets(
      org.apache.spark.ml.recommendation.ALS als, boolean implicit, boolean nonnegative) {
    als.setRank(2).setMaxIter(30).setRegParam(0.05).setSeed(3);
    als.setImplicitPrefs(implicit).setAlpha(1.5).setNonnegative(nonnegative);
  }

  private static double[] predicted(ALSModel model, Dataset<Row> ratings) {
    return model
        .transform(ratings)
        .orderBy("user", "item")
        .select("prediction")
        .collectAsList()
        .stream()
        .mapToDouble(r -> r.getFloat(0))
        .toArray();
  }

  @Test
  void alsFindsThePredictionsOfMllib() {
    var ratings = ratings().coalesce(1).cache();
    for (boolean implicit : new boolean[] {false, true}) {
      var ours = new ALS();
      sets(ours, implicit, !implicit);
      var theirs = new org.apache.spark.ml.recommendation.ALS().setNumBlocks(1);
      sets(theirs, implicit, !implicit);
      var model = ours.fit(ratings);
      var expected = theirs.fit(ratings);
      assertArrayEquals(
          predicted(expected, ratings), predicted(model, ratings), 0.02, "" + implicit);
      assertEquals(expected.itemFactors().schema(), model.itemFactors().schema());
      assertEquals(30, model.userFactors().count());
      assertEquals(3, model.recommendForAllUsers(3).first().getList(1).size());
    }
  }

  /**
   * The items' factors are found last. With the users' factors x fixed, the factors y of an item
   * that some users like are the least of a convex function for y >= 0: sum c (p - x y)^2 + reg
   * likes y y, over all users. So each component of the slope is 0, or positive where y is 0.
   */
  @Test
  void alsOfLikesWithoutNegativeFactorsIsTheLeast() {
    var rows = new ArrayList<Row>();
    var random = new Random(9);
    for (int u = 0; u < 12; u++) {
      for (int i = 0; i < 9; i++) {
        if (random.nextInt(3) == 0) {
          // Who rates below 0 is sure not to like it.
          rows.add(
              RowFactory.create(u, (long) i, 3 * random.nextFloat() - (i % 3 == u % 3 ? 0 : 1)));
        }
      }
    }
    var ratings = spark.createDataFrame(rows, RATING);
    double alpha = 2;
    double reg = 0.05;
    var als = new ALS().setRank(3).setMaxIter(10).setRegParam(reg).setAlpha(alpha).setSeed(2);
    var model = als.setImplicitPrefs(true).setNonnegative(true).fit(ratings);
    var x = factors(model.userFactors());
    var y = factors(model.itemFactors());
    int zeros = 0;
    for (int i : y.keySet()) {
      var its = rows.stream().filter(r -> r.getLong(1) == i).toList();
      long likes = its.stream().filter(r -> r.getFloat(2) > 0).count();
      for (int k = 0; k < 3; k++) {
        double slope = reg * likes * y.get(i)[k];
        for (int u : x.keySet()) {
          double rating =
              its.stream().filter(r -> r.getInt(0) == u).mapToDouble(r -> r.getFloat(2)).sum();
          double guess = 0;
          for (int m = 0; m < 3; m++) {
            guess += x.get(u)[m] * y.get(i)[m];
          }
          double sure = 1 + alpha * Math.abs(rating);
          slope += sure * (guess - (rating > 0 ? 1 : 0)) * x.get(u)[k];
        }
        assertTrue(y.get(i)[k] >= 0);
        assertTrue(slope > -1e-4, "item " + i + " " + k + ": " + slope);
        assertTrue(y.get(i)[k] == 0 || slope < 1e-4, "item " + i + " " + k + ": " + slope);
        zeros += y.get(i)[k] == 0 ? 1 : 0;
      }
    }
    assertTrue(zeros > 1 && zeros < 26, "" + zeros);
  }

  private static Map<Integer, double[]> factors(Dataset<Row> table) {
    return table.collectAsList().stream()
        .collect(
            Collectors.toMap(
                r -> r.getInt(0), r -> r.<Float>getList(1).stream().mapToDouble(f -> f).toArray()));
  }

  @Test
  void alsWithoutPenaltyFindsRatingsThatFactorsExplain() {
    var rows = new ArrayList<Row>();
    for (int u = 0; u < 4; u++) {
      for (int i = 0; i < 3; i++) {
        rows.add(RowFactory.create(u, (long) i, (float) ((u - 1.5) * (i + 1))));
      }
    }
    var ratings = spark.createDataFrame(rows, RATING);
    // With rank 8 there are more factors than ratings, and so many solutions.
    for (int rank : new int[] {1, 8}) {
      var als = new ALS().setRank(rank).setRegParam(0).setMaxIter(5);
      var found = predicted(als.fit(ratings), ratings);
      for (int k = 0; k < found.length; k++) {
        assertEquals((k / 3 - 1.5) * (k % 3 + 1), found[k], 1e-5);
      }
    }
  }

  @Test
  void ratingsThatAreNoneAreErrors() {
    var rated = RowFactory.create(1, 2L, 3f);
    for (var bad :
        List.of(
            RowFactory.create(null, 2L, 3f),
            RowFactory.create(1, null, 3f),
            RowFactory.create(1, 2L, null),
            RowFactory.create(1, 2L, Float.NaN),
            RowFactory.create(1, 2L, Float.POSITIVE_INFINITY),
            RowFactory.create(1, 1L << 40, 3f))) {
      var rows = spark.createDataFrame(List.of(rated, bad), RATING);
      assertThrows(Exception.class, () -> new ALS().fit(rows), bad.toString());
    }
    var none = spark.createDataFrame(List.<Row>of(), RATING);
    var empty = assertThrows(UserError.class, () -> new ALS().fit(none));
    assertTrue(empty.getMessage().contains("no ratings"), empty.getMessage());
    var one = spark.createDataFrame(List.of(rated), RATING);
    var refused = assertThrows(Limitation.class, () -> new ALS().setNumBlocks(3).fit(one));
    assertTrue(refused.getMessage().contains("numUserBlocks=3"), refused.getMessage());
    var huge = new ALS().setImplicitPrefs(true).setAlpha(1e308);
    var e = assertThrows(UserError.class, () -> huge.fit(one));
    assertTrue(e.getMessage().contains("have no solution"), e.getMessage());
  }

  private static Dataset<Row> points() {
    var random = new Random(5);
    var rows = new ArrayList<Row>();
    for (int i = 0; i < 300; i++) {
      double x = 2 * random.nextDouble() - 1;
      double y = 2 * random.nextDouble() - 1;
      double label = x * y > 0 ? 1 : x > 0.5 ? 2 : 0;
      rows.add(RowFactory.create(Vectors.dense(x, y), label));
    }
    return spark.createDataFrame(rows, POINT);
  }

  @Test
  void perceptronFindsTheLossesOfMllib() {
    var points = points().coalesce(1).cache();
    var layers = new int[] {2, 5, 4, 3};
    var start = Vectors.dense(new Random(6).doubles(15 + 24 + 15, -1, 1).toArray());
    var ours = new MultilayerPerceptronClassifier().setLayers(layers).setInitialWeights(start);
    var theirs = new org.apache.spark.ml.classification.MultilayerPerceptronClassifier();
    // MLlib's loss is the mean of the blocks' means, so blocks have the same number of rows.
    theirs.setLayers(layers).setInitialWeights(start).setBlockSize(100);
    var model = ours.setMaxIter(15).fit(points);
    var expected = theirs.setMaxIter(15).fit(points);
    var losses = model.summary().objectiveHistory();
    assertArrayEquals(expected.summary().objectiveHistory(), losses, 1e-6);
    assertArrayEquals(expected.weights().toArray(), model.weights().toArray(), 1e-4);
    assertEquals(expected.summary().accuracy(), model.summary().accuracy(), 1e-9);
    assertEquals(3, model.numClasses());
    assertEquals(2, model.numFeatures());
  }

  @Test
  void bothAreStagesOfPipelinesThatAreSaved(@TempDir Path folder) throws IOException {
    var points = points();
    var network = new MultilayerPerceptronClassifier().setLayers(new int[] {2, 8, 3}).setSeed(2);
    network.setMaxIter(60).setPredictionCol("class");
    var pipeline = new Pipeline().setStages(new PipelineStage[] {network});
    var at = folder.resolve("pipeline").toString();
    pipeline.write().save(at);
    var model = Pipeline.load(at).fit(points);
    assertInstanceOf(MultilayerPerceptronClassifier.class, Pipeline.load(at).getStages()[0]);
    var there = folder.resolve("model").toString();
    model.write().save(there);
    var predicted = PipelineModel.load(there).transform(points);
    assertTrue(predicted.filter("class = label").count() > 270);
    var als = folder.resolve("als").toString();
    new ALS().setRank(3).write().save(als);
    assertEquals(3, ALS.load(als).getRank());
    var factors = folder.resolve("factors").toString();
    var ratings = ratings();
    var trained = new ALS().setRank(2).setMaxIter(2).fit(ratings);
    trained.write().save(factors);
    assertArrayEquals(predicted(trained, ratings), predicted(ALSModel.load(factors), ratings));
  }

  @Test
  void layersThatDoNotFitAreErrors() {
    var points = points();
    var network = new MultilayerPerceptronClassifier();
    fails("set layers", () -> network.fit(points));
    fails("begins with 3, but features", () -> network.setLayers(new int[] {3, 3}).fit(points));
    // The labels have three classes.
    assertThrows(Exception.class, () -> network.setLayers(new int[] {2, 2}).fit(points));
    network.setLayers(new int[] {2, 3});
    var none = points.where("label < 0");
    fails("the dataset has no rows", () -> network.fit(none));
    network.setInitialWeights(Vectors.dense(1, 2));
    fails("have 9", () -> network.fit(points));
    fails("solver=gd", () -> network.setSolver("gd").fit(points));
  }

  private static void fails(String part, Executable training) {
    var e = assertThrows(Exception.class, training);
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
