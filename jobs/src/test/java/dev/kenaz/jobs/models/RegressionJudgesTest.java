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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.classification.LinearSVC;
import org.apache.spark.ml.classification.LogisticRegression;
import org.apache.spark.ml.regression.GeneralizedLinearRegression;
import org.apache.spark.ml.regression.LinearRegression;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Regressions and linear classifiers, judged by the conditions of a minimum and by MLlib's
 * estimators, which minimise the same functions. It is slow: MLlib and Spark train the models, too.
 */
@Tag("slow")
final class RegressionJudgesTest {
  private static final int ROWS = 400;
  private static final int WIDTH = 4;
  private static final double[] WEIGHTS = {1.5, -0.7, 0, 0.3};

  @TempDir static Path folder;
  private static JavaSparkContext spark;
  private static final double[][] X = new double[ROWS][WIDTH];

  @BeforeAll
  static void open() {
    spark = Sample.spark();
    var random = new Random(5);
    for (var row : X) {
      double shared = random.nextGaussian();
      for (int j = 0; j < WIDTH; j++) {
        row[j] = (1 + j) * (0.5 * shared + random.nextGaussian());
      }
    }
  }

  @AfterAll
  static void close() {
    spark.close();
  }

  private static double dot(double[] w, double[] x) {
    return IntStream.range(0, x.length).mapToDouble(j -> w[j] * x[j]).sum();
  }

  private static Sample sample(Prim type, ToDoubleFunction<double[]> label) {
    var columns = new LinkedHashMap<String, ArrayValue>();
    var flat = Arrays.stream(X).flatMapToDouble(Arrays::stream).toArray();
    columns.put("x", ArrayValue.ofDoubles(flat, ROWS, WIDTH));
    var labels = Arrays.stream(X).mapToDouble(label).toArray();
    columns.put("y", ArrayValue.ofDoubles(type, labels, ROWS));
    return new Sample(folder, columns);
  }

  private static List<Value> others(Sample s, double... parameters) {
    var all = new ArrayList<Value>(s.columns().values());
    Arrays.stream(parameters).mapToObj(ScalarValue::f64).forEach(all::add);
    return all;
  }

  private static void nearBias(double[] weights, double bias, List<Value> model, double error) {
    assertEquals(bias, numbers(model.get(0))[0], error);
    assertArrayEquals(weights, numbers(model.getLast()), error);
  }

  private static Sample line() {
    var random = new Random(6);
    return sample(Prim.F64, x -> 4 + dot(WEIGHTS, x) + random.nextGaussian());
  }

  @Test
  void ridgeSolvesTheNormalEquations() {
    var s = line();
    double l2 = 0.2;
    var model =
        s.train(
                spark,
                "linear",
                """
                "parameters": {"l2": 0.2}, "optimiser": {"name": "newton-cg"},
                "tolerance": 1e-12, "iterations": 50
                """)
            .model();
    var a = new double[WIDTH + 1][WIDTH + 2];
    var y = s.column("y");
    for (int i = 0; i < ROWS; i++) {
      var row = Arrays.copyOf(X[i], WIDTH + 2);
      row[WIDTH] = 1;
      row[WIDTH + 1] = y[i];
      for (int j = 0; j <= WIDTH; j++) {
        for (int k = 0; k <= WIDTH + 1; k++) {
          a[j][k] += row[j] * row[k] / ROWS;
        }
      }
    }
    for (int j = 0; j < WIDTH; j++) {
      a[j][j] += l2;
    }
    var solved = solve(a);
    nearBias(Arrays.copyOf(solved, WIDTH), solved[WIDTH], model, 1e-8);

    nearMllib(s, 0, l2, model);
  }

  /** MLlib scales the labels to the deviation 1, and its penalty of squares is of these. */
  private static void nearMllib(Sample s, double l1, double l2, List<Value> model) {
    double mean = Arrays.stream(s.column("y")).average().orElseThrow();
    var squares = Arrays.stream(s.column("y")).map(y -> (y - mean) * (y - mean));
    double squared = l2 * Math.sqrt(squares.average().orElseThrow());
    var mllib = new LinearRegression().setRegParam(l1 + squared).setStandardization(false);
    mllib.setElasticNetParam(l1 / (l1 + squared)).setMaxIter(1000).setTol(1e-12);
    var fit = mllib.fit(s.rows(spark));
    nearBias(fit.coefficients().toArray(), fit.intercept(), model, 1e-5);
  }

  /** Solves a system of equations, the last column being the right side, by elimination. */
  private static double[] solve(double[][] a) {
    int n = a.length;
    for (int p = 0; p < n; p++) {
      for (int r = 0; r < n; r++) {
        double factor = r == p ? 0 : a[r][p] / a[p][p];
        for (int c = p; c <= n; c++) {
          a[r][c] -= factor * a[p][c];
        }
      }
    }
    return IntStream.range(0, n).mapToDouble(p -> a[p][n] / a[p][p]).toArray();
  }

  /** A weight of the lasso is zero, or its slope is as steep as the penalty. */
  @Test
  void lassoHoldsTheConditionsOfItsMinimum() {
    var s = line();
    double l1 = 0.8;
    var model =
        s.train(spark, "lasso", "\"parameters\": {\"l1\": 0.8, \"l2\": 0.1}, \"iterations\": 1")
            .model();
    var weights = numbers(model.get(1));
    assertEquals(0, weights[2], "the weight that isn't there");
    assertTrue(weights[0] > 0.1 && weights[1] < -0.1, Arrays.toString(weights));
    try (var linear = Sample.program("linear", "")) {
      var slope = Sample.gradient(linear, model, others(s, 0.1));
      assertEquals(0, slope[0], 1e-7, "the bias has no penalty");
      for (int j = 0; j < WIDTH; j++) {
        double g = slope[j + 1];
        double excess =
            weights[j] == 0
                ? Math.max(0, Math.abs(g) - l1)
                : Math.abs(g + l1 * Math.signum(weights[j]));
        assertEquals(0, excess, 1e-6, "weight " + j);
      }
    }
    nearMllib(s, l1, 0.1, model);
  }

  private static Sample classes() {
    var random = new Random(7);
    return sample(Prim.F64, x -> dot(WEIGHTS, x) + 2 * random.nextGaussian() > 0.5 ? 1 : 0);
  }

  @Test
  void logisticRegressionIsMllibs() {
    var s = classes();
    var model =
        s.train(
                spark,
                "logistic",
                """
                "parameters": {"l2": 0.01, "threshold": 0.5}, "optimiser": {"name": "newton-cg"},
                "tolerance": 1e-12, "iterations": 50
                """)
            .model();
    try (var program = Sample.program("logistic", "")) {
      assertEquals(0, Sample.slope(program, model, others(s, 0.5, 0.01)), 1e-8);
    }
    var mllib = new LogisticRegression().setRegParam(0.01).setStandardization(false);
    var fit = mllib.setTol(1e-12).setMaxIter(150).fit(s.rows(spark));
    nearBias(fit.coefficients().toArray(), fit.intercept(), model, 1e-5);
  }

  @Test
  void softmaxRegressionIsMllibs() {
    var random = new Random(8);
    var s =
        sample(
            Prim.F64,
            x -> Math.clamp(Math.round(1 + dot(WEIGHTS, x) + random.nextGaussian()), 0, 2));
    var classes = new LinkedHashMap<>(s.columns());
    classes.put("y", ArrayValue.ofLongs(longs(s.column("y")), ROWS));
    var model =
        new Sample(folder, classes)
            .train(
                spark,
                "softmax",
                """
                "parameters": {"l2": 0.05, "classes": 3}, "optimiser": {"name": "newton-cg"},
                "tolerance": 1e-10, "iterations": 30
                """)
            .model();
    try (var program = Sample.program("softmax", "")) {
      var others = List.<Value>of(classes.get("x"), classes.get("y"), ScalarValue.f64(0.05));
      assertEquals(0, Sample.slope(program, model, others), 1e-8);
    }
    var mllib = new LogisticRegression().setFamily("multinomial").setRegParam(0.05);
    var fit = mllib.setStandardization(false).setTol(1e-12).setMaxIter(150).fit(s.rows(spark));
    var weights = numbers(model.getLast());
    for (int c = 0; c < 3; c++) {
      for (int j = 0; j < WIDTH; j++) {
        assertEquals(fit.coefficientMatrix().apply(c, j), weights[c * WIDTH + j], 1e-5);
      }
    }
    // The same number added to all biases changes nothing.
    var bias = numbers(model.get(0));
    var theirs = fit.interceptVector().toArray();
    assertEquals(theirs[1] - theirs[0], bias[1] - bias[0], 1e-5);
    assertEquals(theirs[2] - theirs[0], bias[2] - bias[0], 1e-5);
  }

  private static long[] longs(double[] xs) {
    return Arrays.stream(xs).mapToLong(x -> (long) x).toArray();
  }

  @Test
  void poissonRegressionIsMllibs() {
    var random = new Random(9);
    var s =
        sample(
            Prim.F64,
            x -> {
              double limit = Math.exp(-Math.exp(0.5 + 0.3 * dot(WEIGHTS, x)));
              int count = 0;
              for (double p = random.nextDouble(); p > limit; p *= random.nextDouble()) {
                count++;
              }
              return count;
            });
    var model =
        s.train(
                spark,
                "poisson",
                """
                "parameters": {"l2": 0}, "optimiser": {"name": "newton-cg"},
                "tolerance": 1e-12, "iterations": 50
                """)
            .model();
    try (var program = Sample.program("poisson", "")) {
      assertEquals(0, Sample.slope(program, model, others(s, 0)), 1e-7);
    }
    var mllib = new GeneralizedLinearRegression().setFamily("poisson").setLink("log");
    var fit = mllib.setTol(1e-12).setMaxIter(100).fit(s.rows(spark));
    nearBias(fit.coefficients().toArray(), fit.intercept(), model, 1e-6);
  }

  /** The hinge loss has kinks, so that slopes say nothing; the loss itself is compared. */
  @Test
  void supportVectorMachineIsAsGoodAsMllibs() {
    var s = classes();
    var end =
        s.train(
            spark,
            "svm",
            """
            "parameters": {"l2": 0.05, "threshold": 0.5}, "optimiser": {"name": "l-bfgs"},
            "tolerance": 1e-10, "iterations": 100
            """);
    var mllib = new LinearSVC().setRegParam(0.05).setStandardization(false).setMaxIter(100);
    var fit = mllib.setTol(1e-12).fit(s.rows(spark));
    var theirs =
        List.<Value>of(
            ScalarValue.f64(fit.intercept()),
            ArrayValue.ofDoubles(fit.coefficients().toArray(), WIDTH));
    try (var program = Sample.program("svm", "")) {
      double loss = Sample.loss(program, theirs, others(s, 0.5, 0.05));
      assertTrue(end.losses().getLast() <= loss * (1 + 1e-4), end.losses().getLast() + " " + loss);
    }
  }

  /**
   * Every tenth label is far off: the others tell the line, and the pulls of all are in balance.
   */
  @Test
  void robustRegressionHoldsTheConditionsOfItsMinimum() {
    var random = new Random(10);
    var s =
        sample(
            Prim.F64,
            x ->
                4
                    + dot(WEIGHTS, x)
                    + random.nextGaussian() / 10
                    + (random.nextInt(10) == 0 ? 100 : 0));
    double delta = 0.5;
    var model =
        s.train(
                spark,
                "robust",
                """
                "parameters": {"delta": 0.5}, "optimiser": {"name": "l-bfgs"},
                "tolerance": 1e-10, "iterations": 300
                """)
            .model();
    double bias = numbers(model.getFirst())[0];
    var weights = numbers(model.getLast());
    var y = s.column("y");
    var pulls = new double[WIDTH + 1];
    for (int i = 0; i < ROWS; i++) {
      double pull = Math.clamp(bias + dot(weights, X[i]) - y[i], -delta, delta) / ROWS;
      pulls[WIDTH] += pull;
      for (int j = 0; j < WIDTH; j++) {
        pulls[j] += pull * X[i][j];
      }
    }
    assertArrayEquals(new double[WIDTH + 1], pulls, 1e-7);
    assertArrayEquals(WEIGHTS, weights, 0.1);
    assertEquals(4, bias, 0.2);
  }

  /** The slope by differences is zero at the end, and bumps explain what a line can't. */
  @Test
  void kernelRegressionEndsInAMinimum() {
    var random = new Random(11);
    var s = sample(Prim.F64, x -> 3 * Math.exp(-dot(x, x) / 8) + random.nextGaussian() / 10);
    var end =
        s.train(
            spark,
            "kernel",
            """
            "parameters": {"bumps": 3, "width": 2, "l2": 0.001}, "optimiser": {"name": "l-bfgs"},
            "tolerance": 1e-9, "iterations": 2000
            """);
    try (var program = Sample.program("kernel", "")) {
      assertEquals(0, Sample.slope(program, end.model(), others(s, 2, 0.001)), 1e-6);
    }
    assertTrue(end.losses().getLast() < end.losses().getFirst() / 4, end.losses().toString());
  }
}
