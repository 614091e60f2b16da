package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7301;
import static dev.kenaz.error.ErrorCode.K7402;
import static dev.kenaz.error.ErrorCode.K7405;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.ArrayValue;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums of squares, by the methods that know what is squared. */
final class TrainResidualsTest extends TrainTesting {
  /** A line through what isn't one. */
  private static final String LINE =
      """
      type model [d] = { bias: f64, weights: [d]f64 }
      def init [n][d] (x: [n][d]f64) : model [d] = { weights = replicate d 0, bias = 0 }
      def value [d] (m: model [d]) (x: [d]f64) = f64.sum (map2 (*) m.weights x) + m.bias
      def residuals [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : [n]f64 =
        map2 (\\x y -> value m x - y - f64.sin (10 * x[0])) x y
      def predict [n][d] (m: model [d]) (x: [n][d]f64) : [n]f64 = map (value m) x
      """;

  /** The bias and the weights by the normal equations, which a 3 by 3 elimination solves. */
  private double[] line() {
    var a = new double[3][4];
    for (int i = 0; i < numbers[0].length; i++) {
      double[] row = {1, numbers[0][i], numbers[1][i], 0};
      row[3] = numbers[2][i] + Math.sin(10 * numbers[0][i]);
      for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 4; k++) {
          a[j][k] += row[j] * row[k];
        }
      }
    }
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 3; i++) {
        double factor = i == j ? 0 : a[i][j] / a[j][j];
        for (int k = 0; k < 4; k++) {
          a[i][k] -= factor * a[j][k];
        }
      }
    }
    return new double[] {a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
  }

  private static String by(String optimiser, int iterations) {
    return "\"optimiser\": { \"name\": %s }, \"iterations\": %d".formatted(optimiser, iterations);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"levenberg-marquardt\"",
        "\"levenberg-marquardt\", \"dense\": 0",
        "\"levenberg-marquardt\", \"damping\": 100",
        "\"gauss-newton\"",
        "\"gauss-newton\", \"dense\": 0",
        "\"l-bfgs\""
      })
  void aLineIsThatOfTheNormalEquations(String optimiser) throws IOException {
    var expected = line();
    for (int n : new int[] {1, 4}) {
      partitions = n;
      var result = train(LINE, by(optimiser, 40));
      assertEquals(expected[0], number(result.model().get(0)), 1e-6);
      var weights = (ArrayValue) result.model().get(1);
      assertEquals(expected[1], weights.getDouble(0), 1e-6);
      assertEquals(expected[2], weights.getDouble(1), 1e-6);
      double squares = 0;
      for (int i = 0; i < numbers[0].length; i++) {
        double value = expected[0] + expected[1] * numbers[0][i] + expected[2] * numbers[1][i];
        double r = value - numbers[2][i] - Math.sin(10 * numbers[0][i]);
        squares += r * r;
      }
      assertEquals(squares / 2, result.losses().getLast(), 1e-9 * squares);
      assertEquals(squares / 2, document().loss(), 1e-9 * squares);
    }
  }

  /** Gauss and Newton solve linear equations in a step. */
  @Test
  void linearResidualsNeedOneStep() throws IOException {
    var losses = train(LINE, by("\"gauss-newton\"", 1)).losses();
    assertEquals(train(LINE, by("\"l-bfgs\"", 60)).losses().getLast(), losses.getLast(), 1e-7);
  }

  /** A matrix of residuals, of f32, with a hyperparameter; its rows are no columns of a model. */
  @Test
  void curvesAndMatrices() throws IOException {
    var curve =
        """
        def init (from: f32) = (from, from)
        def residuals [n] ((a, b): (f32, f32)) (x: [n]f32) (scale: f32) : [n][2]f32 =
          map (\\x -> [a * f32.exp (b * x) - 3 * f32.exp (-0.5 * x), scale * (a - 3)]) x
        """
            .replace("((a, b): (f32, f32))", "(m: (f32, f32))")
            .replace("  map (", "  let (a, b) = m in map (");
    var data = "\"data\": { \"path\": \"data.arrow\", \"columns\": { \"x\": \"rooms\" } }, ";
    var more = "\"parameters\": { \"scale\": 0, \"from\": 1 }, ";
    for (var optimiser : new String[] {"\"levenberg-marquardt\"", "\"gauss-newton\""}) {
      var result = train(curve, data + more + by(optimiser, 40));
      assertEquals(3, number(result.model().get(0)), 1e-3);
      assertEquals(-0.5, number(result.model().get(1)), 1e-3);
      assertTrue(result.losses().getLast() < 1e-6, optimiser);
    }
  }

  @Test
  void bundles() throws IOException {
    var configs = Path.of("../configs").toAbsolutePath().normalize();
    var program =
        """
        open import "%s/models/bundle"
        local def loss = 0
        local def step = 0
        def residuals [n][c][p] (m: model [c] [p]) (camera: [n]i64) (point: [n]i64) (seen: [n][2]f64)
          : [n][2]f64 =
          map3 (\\c p s -> residual m.cameras[c] m.points[p] s) camera point seen
        """
            .formatted(configs);
    var more =
        """
        "data": { "path": "%s/data/turntable.arrow",
                  "columns": { "camera": "camera", "point": "point", "seen": "seen" } },
        "parameters": { "cameras": 12, "points": 100, "distance": 10, "focal": 500 }, %s
        """
            .formatted(configs, by("\"levenberg-marquardt\"", 5));
    var result = train(program, more);
    var losses = result.losses();
    for (int i = 1; i < losses.size(); i++) {
      assertTrue(losses.get(i) <= losses.get(i - 1), "no step is worse than the one before");
    }
    // The data has errors of deviation 0.3, in two numbers a row; the model takes some of them.
    assertTrue(losses.getLast() / result.rows() < 0.3 * 0.3 * 0.9, losses.toString());
  }

  @Test
  void faultsAreTold() throws IOException {
    var lm = by("\"levenberg-marquardt\"", 5);
    assertEquals(K7402, code(() -> train(RIDGE, lm + ", \"parameters\": {\"lambda\": 1}")));
    var both = LINE + "def loss [n][d] (m: model [d]) (x: [n][d]f64) (y: [n]f64) : f64 = m.bias\n";
    assertEquals(K7402, code(() -> train(both, lm)));
    var number = LINE.replace(": [n]f64 =\n  map2", "=\n  f64.sum <| map2");
    assertTrue(fault(() -> train(number, lm)).getMessage().contains("residuals gives f64, not"));
    var whole = LINE.replace(": [n]f64 =\n  map2", "=\n  map i64.f64 <| map2");
    assertTrue(fault(() -> train(whole, lm)).getMessage().contains("residuals gives []i64, not"));
    assertEquals(K7402, code(() -> train(LINE, "\"iterations\": 5")));
    var nan = LINE.replace("bias = 0 }", "bias = f64.nan }");
    assertEquals(K7301, code(() -> train(nan, lm)));
    var batch = "\"optimiser\": { \"name\": \"gauss-newton\" }, \"batch\": { \"rows\": 10 }";
    assertEquals(K7405, code(() -> train(LINE, batch)));
    var none = by("\"levenberg-marquardt\", \"memory\": 3", 5);
    assertEquals(K7405, code(() -> train(LINE, none)));
  }
}
