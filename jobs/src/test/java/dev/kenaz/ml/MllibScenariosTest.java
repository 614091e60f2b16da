package dev.kenaz.ml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.apache.spark.ml.Estimator;
import org.apache.spark.ml.Model;
import org.apache.spark.ml.linalg.Matrix;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.VectorUDT;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.ml.param.ParamMap;
import org.apache.spark.ml.param.Params;
import org.apache.spark.ml.util.MLWritable;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What MLlib's documentation says of its estimators, with MLlib's class and with ours: names and
 * defaults of parameters, columns and what is known of them, numbers of the model and of its
 * summary, and what is saved.
 */
final class MllibScenariosTest {
  private static SparkSession spark;
  private static Dataset<Row> rows;

  @TempDir Path folder;

  /**
   * A use of an estimator.
   *
   * @param type its name after {@code org.apache.spark.ml}
   * @param set the parameters
   * @param compared what the models have in common: getters, {@code summary.} before those of the
   *     summary
   * @param error by which numbers may differ, relative to the larger of 1 and the number
   */
  private record Scenario(
      String name, String type, Map<String, Object> set, List<String> compared, double error) {
    @Override
    public String toString() {
      return type + ": " + name;
    }

    Estimator<?> estimator(String where) throws ReflectiveOperationException {
      var made =
          (Estimator<?>)
              Class.forName(where + "." + type).getConstructor(String.class).newInstance("uid");
      for (var s : set.entrySet()) {
        made.set(made.getParam(s.getKey()), s.getValue());
      }
      return made;
    }
  }

  @BeforeAll
  static void open() {
    spark = LocalSession.open(Map.of());
    var random = new Random(8);
    var all = new ArrayList<Row>();
    for (int i = 0; i < 150; i++) {
      int at = i % 3;
      double a = 8 * at + random.nextGaussian();
      double b = random.nextGaussian() - 5 * (at == 1 ? 1 : 0);
      double noise = random.nextGaussian();
      var x = i % 5 == 0 ? Vectors.dense(a, b, 2).toSparse() : Vectors.dense(a, b, 2);
      all.add(
          RowFactory.create(
              x,
              a + 3 * noise > 8 ? 1.0 : 0.0,
              (double) (a + 2 * noise > 12 ? 2 : a + noise > 4 ? 1 : 0),
              (float) (2 * a - b + noise),
              1 + i % 4,
              i % 12,
              (long) (i / 12),
              Vectors.dense(a, b)));
    }
    rows =
        spark
            .createDataFrame(
                all,
                new StructType()
                    .add("features", new VectorUDT(), false)
                    .add("label", DataTypes.DoubleType)
                    .add("class", DataTypes.DoubleType)
                    .add("y", DataTypes.FloatType)
                    .add("w", DataTypes.IntegerType)
                    .add("user", DataTypes.IntegerType)
                    .add("item", DataTypes.LongType)
                    .add("point", new VectorUDT(), false))
            .coalesce(1)
            .cache();
  }

  @AfterAll
  static void close() {
    spark.stop();
  }

  private static Scenario of(
      String name, String type, Map<String, Object> set, double error, String compared) {
    return new Scenario(name, type, new TreeMap<>(set), List.of(compared.split(" ")), error);
  }

  private static Stream<Scenario> scenarios() {
    return Stream.of(logistic(), classifiers(), regressions(), others()).flatMap(s -> s);
  }

  private static Stream<Scenario> logistic() {
    var logistic = "classification.LogisticRegression";
    return Stream.of(
        of(
            "two classes, weights, a threshold, other columns",
            logistic,
            Map.of(
                "weightCol",
                "w",
                "regParam",
                0.1,
                "threshold",
                0.8,
                "predictionCol",
                "p",
                "probabilityCol",
                "prob",
                "rawPredictionCol",
                "raw",
                "tol",
                1e-9),
            1e-4,
            "coefficients intercept getThreshold numClasses numFeatures "
                + "summary.accuracy summary.weightedPrecision summary.areaUnderROC"),
        of(
            "two classes as many, no intercept",
            logistic,
            Map.of("family", "multinomial", "fitIntercept", false, "regParam", 0.05, "tol", 1e-9),
            1e-4,
            "coefficientMatrix interceptVector numClasses summary.accuracy"),
        of(
            "three classes, thresholds",
            logistic,
            Map.of(
                "labelCol",
                "class",
                "regParam",
                0.1,
                "thresholds",
                new double[] {0.2, 0.3, 0.5},
                "standardization",
                false,
                "maxIter",
                200,
                "tol",
                1e-10),
            1e-3,
            "coefficientMatrix interceptVector getThresholds numClasses "
                + "summary.accuracy summary.recallByLabel summary.labels"));
  }

  private static Stream<Scenario> regressions() {
    var linear = "regression.LinearRegression";
    return Stream.of(
        of(
            "weights, a label that is a float",
            linear,
            Map.of("labelCol", "y", "weightCol", "w", "solver", "normal"),
            1e-6,
            "coefficients intercept scale numFeatures summary.r2 summary.r2adj "
                + "summary.rootMeanSquaredError summary.meanAbsoluteError "
                + "summary.numInstances summary.explainedVariance "
                + "summary.degreesOfFreedom summary.devianceResiduals"),
        of(
            "ridge without an intercept",
            linear,
            Map.of("labelCol", "y", "regParam", 0.3, "fitIntercept", false, "solver", "normal"),
            1e-6,
            "coefficients intercept summary.meanSquaredError"),
        of(
            "elastic net",
            linear,
            Map.of("labelCol", "y", "regParam", 0.3, "elasticNetParam", 0.5, "tol", 1e-10),
            1e-4,
            "coefficients intercept summary.r2"));
  }

  private static Stream<Scenario> classifiers() {
    return Stream.of(
        of(
            "a threshold, weights",
            "classification.LinearSVC",
            Map.of(
                "threshold", 0.5, "weightCol", "w", "regParam", 0.1, "maxIter", 300, "tol", 1e-9),
            2e-2,
            "coefficients intercept getThreshold numClasses summary.accuracy"),
        of(
            "a start that is given",
            "classification.MultilayerPerceptronClassifier",
            Map.of(
                "labelCol",
                "class",
                "layers",
                new int[] {3, 4, 3},
                "maxIter",
                5,
                "initialWeights",
                Vectors.dense(new Random(2).doubles(31, -1, 1).toArray()),
                "blockSize",
                128),
            1e-9,
            "numClasses numFeatures getLayers"));
  }

  private static Stream<Scenario> others() {
    return Stream.of(
        of(
            "three places",
            "clustering.KMeans",
            Map.of("k", 3, "seed", 5L, "predictionCol", "cluster"),
            1e-6,
            "getK numFeatures summary.k summary.trainingCost summary.predictionCol "
                + "summary.featuresCol"),
        of(
            "weights, random starts",
            "clustering.KMeans",
            Map.of("k", 3, "seed", 3L, "weightCol", "w", "maxIter", 50),
            1e-6,
            "getK numFeatures summary.k summary.trainingCost"),
        of(
            "weights of places, other columns",
            "clustering.GaussianMixture",
            Map.of(
                "k",
                3,
                "seed",
                4L,
                "maxIter",
                60,
                "featuresCol",
                "point",
                "predictionCol",
                "c",
                "probabilityCol",
                "shares"),
            1e-9,
            "getK numFeatures summary.k summary.predictionCol summary.probabilityCol"),
        of(
            "no rows for strangers",
            "recommendation.ALS",
            Map.of(
                "ratingCol",
                "y",
                "rank",
                3,
                "coldStartStrategy",
                "drop",
                "predictionCol",
                "guess",
                "maxIter",
                3,
                "seed",
                1L),
            1e-6,
            "rank getColdStartStrategy getUserCol getPredictionCol"),
        of(
            "two components",
            "feature.PCA",
            Map.of("k", 2, "inputCol", "features", "outputCol", "pc"),
            1e-6,
            "explainedVariance getK"));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void isThatOfMllib(Scenario s) throws ReflectiveOperationException, IOException {
    var theirs = s.estimator("org.apache.spark.ml");
    var ours = s.estimator("dev.kenaz.ml");
    assertEquals(explained(theirs), explained(ours));
    assertEquals(theirs.transformSchema(rows.schema()), ours.transformSchema(rows.schema()));
    var expected = (Model<?>) theirs.fit(rows);
    var found = (Model<?>) ours.fit(rows);
    assertEquals(expected.getClass(), found.getClass());
    assertEquals(expected.uid(), found.uid());
    assertEquals(withoutSeed(expected, s), withoutSeed(found, s));
    assertEquals(ours, found.parent());
    for (var getter : s.compared) {
      compare(s + ", " + getter, get(expected, getter), get(found, getter), s.error);
    }
    sameTables(expected.transform(rows), found.transform(rows));
    var at = folder.resolve("model").toString();
    ((MLWritable) found).write().save(at);
    var load = found.getClass().getMethod("load", String.class);
    var read = assertInstanceOf(found.getClass(), load.invoke(null, at));
    assertEquals(values(found), values(read));
    assertEquals(texts(found.transform(rows)), texts(read.transform(rows)));
    assertEquals(values(ours), values(ours.copy(ParamMap.empty())));
  }

  /** The default of a seed is made from the name of the class. */
  private static String explained(Estimator<?> estimator) {
    return estimator.explainParams().replaceAll("seed \\(default: -?\\d+", "seed (default");
  }

  /** The schemas with what is known of columns; predictions are compared through their numbers. */
  private static void sameTables(Dataset<Row> expected, Dataset<Row> found) {
    assertEquals(expected.schema(), found.schema());
    for (var field : expected.schema().fields()) {
      assertEquals(field.metadata(), found.schema().apply(field.name()).metadata(), field.name());
    }
    assertEquals(expected.count(), found.count());
  }

  private static Map<String, String> withoutSeed(Model<?> model, Scenario s) {
    var all = new TreeMap<>(values(model));
    if (!s.set.containsKey("seed")) {
      all.remove("seed");
    }
    return all;
  }

  private static List<String> texts(Dataset<Row> table) {
    return table.collectAsList().stream().map(Row::toString).sorted().toList();
  }

  private static Map<String, String> values(Params params) {
    var all = new TreeMap<String, String>();
    for (var p : params.params()) {
      if (params.isDefined(p)) {
        var value = params.getOrDefault(p);
        all.put(
            p.name(),
            switch (value) {
              case double[] d -> Arrays.toString(d);
              case int[] i -> Arrays.toString(i);
              default -> value.toString();
            });
      }
    }
    return all;
  }

  private static Object get(Object model, String getter) throws ReflectiveOperationException {
    if (getter.startsWith("summary.")) {
      return get(call(model, "summary"), getter.substring("summary.".length()));
    }
    return call(model, getter);
  }

  private static Object call(Object of, String getter) throws ReflectiveOperationException {
    try {
      return of.getClass().getMethod(getter).invoke(of);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(getter, e.getCause());
    }
  }

  private static void compare(String what, Object expected, Object found, double error) {
    var a = numbers(expected);
    var b = numbers(found);
    if (a == null) {
      assertEquals(expected, found, what);
      return;
    }
    double scale = DoubleStream.of(a).map(Math::abs).reduce(1, Math::max);
    assertArrayEquals(a, b, error * scale, what);
  }

  private static double[] numbers(Object value) {
    return switch (value) {
      case Vector v -> v.toArray();
      case Matrix m -> m.toArray();
      case double[] d -> d;
      case int[] i -> Arrays.stream(i).asDoubleStream().toArray();
      case Number n -> new double[] {n.doubleValue()};
      default -> null;
    };
  }
}
