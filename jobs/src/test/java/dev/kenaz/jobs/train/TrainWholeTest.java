package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Limitation;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that train by themselves. */
final class TrainWholeTest extends TrainTesting {
  private static final String DESCENT =
      """
      type model = { weights: [2]f64, bias: f64, seed: i64 }
      def value (w: [2]f64) (b: f64) (r: [2]f64) = f64.sum (map2 (*) w r) + b
      def loss [n] (m: model) (x: [n][2]f64) (y: [n]f64) : f64 =
        f64.sum (map2 (\\r y -> (value m.weights m.bias r - y) ** 2) x y) / f64.i64 n
      def metrics [n] (m: model) (x: [n][2]f64) (y: [n]f64) : { rmse: f64, rows: i64 } =
        { rmse = f64.sqrt (loss m x y), rows = n }
      def train [n] (x: [n][2]f64) (y: [n]f64) (steps: i64) (seed: i64) : model =
        let cost (w: [2]f64, b: f64) = loss { weights = w, bias = b, seed } x y
        let (weights, bias) =
          loop (w, b) = ([0, 0], f64.i64 seed) for _i < steps do
            let (dw, db) = vjp cost (w, b) 1
            in (map2 (\\w d -> w - 0.05 * d) w dw, b - 0.05 * db)
        in { weights, bias, seed }
      """;

  private static final String STEPS = "\"parameters\": { \"steps\": 400 }";

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 8})
  void aLoopOfTheProgramIsThePlan(int pieces) throws IOException {
    partitions = pieces;
    var end = train(DESCENT, STEPS);
    assertEquals(7, number(end.model().get(0)), 1e-2, said.toString());
    assertEquals(ScalarValue.i64(1), end.model().get(1));
    var weights = ((ArrayValue) end.model().get(2)).toDoubleArray();
    assertEquals(3, weights[0], 1e-2);
    assertEquals(-2, weights[1], 1e-2);
    assertEquals(0, end.iterations());
    assertEquals(end.model(), ModelFolder.open(folder.resolve("out")).orElseThrow().model());
    assertEquals(200, document().metrics().get("rows").doubleValue());
    assertEquals(
        Math.pow(document().metrics().get("rmse").doubleValue(), 2), document().loss(), 1e-12);
    assertEquals(1, history().size());
    assertTrue(said.stream().anyMatch(l -> l.contains("loss  ")), said.toString());
  }

  @Test
  void rowsAreHeldBackAndSeveralModelsAreTrained() throws IOException {
    train(DESCENT, STEPS + ", \"validation\": { \"split\": 0.1 }");
    assertEquals(20, document().validation().metrics().get("rows").doubleValue());
    assertEquals(180, document().metrics().get("rows").doubleValue());
    train(DESCENT, STEPS + ", \"validation\": { \"folds\": 3 }");
    assertEquals(3, document().trained().size());
    assertEquals(200, document().metrics().get("rows").doubleValue());
    var few = "\"parameters\": { \"steps\": 4 }, \"models\": { \"restarts\": 3 }";
    var end = train(DESCENT, few);
    assertEquals(ScalarValue.i64(3), end.model().get(1), "it begins nearest to the bias");
    var worst = ", \"stop\": { \"metric\": \"rmse\", \"goal\": \"most\" }";
    assertEquals(ScalarValue.i64(1), train(DESCENT, few + worst).model().get(1));
  }

  /** Without a function that takes the model, its type is what train gives. */
  @Test
  void trainAloneIsEnough() throws IOException {
    var program =
        """
        def train [n] (x: [n][2]f64) (y: [n]f64) : { mean: f64, rows: i64 } =
          { mean = f64.sum (map2 (\\r y -> r[1] + y) x y) / f64.i64 n, rows = n }
        """;
    assertEquals(ScalarValue.i64(200), train(program, "\"seed\": 3").model().get(1));
    var pair =
        """
        def train [n] (x: [n][2]f64) (y: [n]f64) = (f64.sum (map2 (\\r y -> r[1] + y) x y), n)
        """;
    assertEquals(ScalarValue.i64(200), train(pair, "\"seed\": 3").model().get(1));
    assertEquals("(f64, i64)", document().type());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "optimiser": { "name": "adam" } | K7006
          "iterations": 3 | K7006
          "batch": { "rows": 3 } | K7006
          "tolerance": 0.1 | K7006
          "checkpoint": { "every": 3 } | K7006
          "stop": { "metric": "rmse" } | K7006
          "models": { "restarts": 2 }, "stop": { "metric": "rsme" } | K7406
          """)
  void whatIsAboutStepsIsRefused(String more, ErrorCode code) {
    assertEquals(code, code(() -> train(DESCENT, STEPS + ", " + more)));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void whatDoesNotFitTogetherIsTold() {
    var both = DESCENT + "def step (m: model) (x: [][2]f64) : model = m\n";
    assertEquals(ErrorCode.K7402, code(() -> train(both, STEPS)));
    var wrong = DESCENT.replace("in { weights, bias, seed }", "in (bias, seed)");
    var told = fault(() -> train(wrong.replace("(seed: i64) : model =", "(seed: i64) ="), STEPS));
    assertEquals(ErrorCode.K7402, told.diagnostics().getFirst().code());
    assertTrue(told.getMessage().contains("the model that train gives"), told.getMessage());
    var gathers =
        """
        def train [n] (x: [n][2]f64) (y: [n]f64) : [2]f64 =
          let far i = f64.sum (map (\\j -> y[(i * j) %% n] * f64.maximum y[j:]) (iota n))
          in [f64.sum (map far (iota n)), x[0][0]]
        """
            .replace("%%", "%");
    assertThrows(Limitation.class, () -> train(gathers, "\"seed\": 1"));
  }
}
