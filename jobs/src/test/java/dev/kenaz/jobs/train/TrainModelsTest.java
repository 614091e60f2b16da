package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K5001;
import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7301;
import static dev.kenaz.error.ErrorCode.K7402;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.arrow.ArrowOutput;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Models of many types, trained by steps of their own and by optimisers. */
final class TrainModelsTest extends TrainTesting {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "l-bfgs", "memory": 3 | 40 | 1e-9
          "newton-cg" | 20 | 1e-9
          "newton-diagonal" | 200 | 1e-2
          "gradient-descent", "rate": 0.1, "momentum": 0.5 | 400 | 1e-2
          "adam", "rate": 0.5, "schedule": { "decay": 0.5, "decay_every": 50 } | 300 | 1e-2
          "adamw", "rate": 0.5, "weight_decay": 0 | 300 | 1e-1
          "rmsprop", "rate": 0.05 | 400 | 1e-1
          """)
  void optimisersFindTheLine(String optimiser, int iterations, double error) throws IOException {
    var end =
        train(
            RIDGE,
            "\"optimiser\": { \"name\": %s }, \"iterations\": %d, \"parameters\": {\"lambda\": 0}"
                .formatted(optimiser, iterations));
    assertEquals(7, number(end.model().get(0)), error, said.toString());
    assertEquals(ScalarValue.i64(7), end.model().get(1), "integers stay");
    var weights = ((ArrayValue) end.model().get(2)).toDoubleArray();
    assertEquals(3, weights[0], error);
    assertEquals(-2, weights[1], error);
    assertTrue(end.losses().getLast() <= end.losses().getFirst());

    var folder = ModelFolder.open(this.folder.resolve("out")).orElseThrow();
    assertEquals(end.model(), folder.model());
    assertEquals("{bias: f64, calls: i64, weights: []f64}", folder.document().type());
    assertEquals(200, folder.document().metrics().get("rows").doubleValue());
    var history = Files.readAllLines(this.folder.resolve("out/history.jsonl"));
    assertEquals(end.seconds().size(), history.size());
  }

  /** The gradient at zero is known, and so is the length of the first step against it. */
  @Test
  void eventsTellOfGradientAndStep() throws IOException {
    var rate = "{ \"name\": \"gradient-descent\", \"rate\": 0.001 }, \"iterations\": 2";
    train(RIDGE, "\"optimiser\": " + rate + ", \"parameters\": {\"lambda\": 0}");
    var steps =
        events.stream()
            .filter(TrainEvent.Iteration.class::isInstance)
            .map(TrainEvent.Iteration.class::cast)
            .toList();
    assertEquals(List.of(0, 1, 2), steps.stream().map(TrainEvent.Iteration::iteration).toList());
    double[] slope = new double[3];
    for (int i = 0; i < 200; i++) {
      slope[0] += numbers[0][i] * numbers[2][i] / 100;
      slope[1] += numbers[1][i] * numbers[2][i] / 100;
      slope[2] += numbers[2][i] / 100;
    }
    double length = Math.sqrt(Arrays.stream(slope).map(x -> x * x).sum());
    assertEquals(length, steps.getFirst().gradient(), 1e-9);
    assertEquals(0, steps.getFirst().step());
    assertEquals(0.001 * length, steps.get(1).step(), 1e-9);
    assertTrue(steps.get(1).gradient() < length);
    assertEquals(steps.get(2).loss() / steps.get(1).loss() - 1, steps.get(2).change(), 1e-12);
    assertEquals(
        List.of("Started", "Job", "Iteration", "Iteration", "Iteration", "Ended", "Data", "Model"),
        events.stream().map(e -> e.getClass().getSimpleName()).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"l-bfgs\"", "\"adam\", \"rate\": 0.3", "\"gradient-descent\""})
  void aResumedTrainingIsTheSame(String optimiser) throws IOException {
    var more =
        """
        "optimiser": { "name": %s }, "iterations": 7, "parameters": {"lambda": 1},
        "checkpoint": { "every": 3 }
        """
            .formatted(optimiser);
    var whole = train(FIXED, more);
    Files.delete(folder.resolve("out/model.json"));
    said.clear();
    var resumed = train(FIXED, more, Existing.RESUME);
    assertTrue(said.contains("resuming after iteration 6"), said.toString());
    assertEquals(whole.model(), resumed.model());
    assertEquals(whole.losses(), resumed.losses());
    Files.delete(folder.resolve("out/model.json"));
    var other = RIDGE.replace("** 2", "** 4");
    assertEquals(K7103, code(() -> train(other, more, Existing.RESUME)));
    var several = more + ", \"models\": { \"restarts\": 2 }";
    assertEquals(K7103, code(() -> train(FIXED, several, Existing.RESUME)));
    Files.delete(folder.resolve("out/checkpoint"));
    Files.createDirectory(folder.resolve("out/model-1"));
    Files.writeString(folder.resolve("out/.kenaz-models"), "model-1\n");
    assertEquals(K7103, code(() -> train(FIXED, more, Existing.RESUME)));
  }

  private static final String FIXED =
      RIDGE
          + "def reparametrise [d] (from: model [d]) (to: model [d]) = to with bias = from.bias\n";

  /** What reparametrise takes from the first model stays, whatever an optimiser does. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"l-bfgs\"",
        "\"adamw\", \"rate\": 0.5, \"weight_decay\": 0.01",
        "\"proximal\", \"l1\": 0.01"
      })
  void partsOfAModelAreFixed(String optimiser) throws IOException {
    var program = FIXED.replace("bias = 0", "bias = 6");
    var more =
        "\"optimiser\": { \"name\": %s }, \"iterations\": 50, \"parameters\": {\"lambda\": 0}"
            .formatted(optimiser);
    var end = train(program, more);
    assertEquals(6, number(end.model().get(0)));
    var weights = ((ArrayValue) end.model().get(2)).toDoubleArray();
    // The weights with the least squares, if a constant of 6 rather than 7 is given.
    double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
    for (int i = 0; i < 200; i++) {
      double a = numbers[0][i];
      double b = numbers[1][i];
      double y = numbers[2][i] - 6;
      aa += a * a;
      ab += a * b;
      bb += b * b;
      ay += a * y;
      by += b * y;
    }
    double error = optimiser.contains("adamw") || optimiser.contains("proximal") ? 0.2 : 1e-3;
    assertEquals((ay * bb - by * ab) / (aa * bb - ab * ab), weights[0], error);
    assertEquals((by * aa - ay * ab) / (aa * bb - ab * ab), weights[1], error);
  }

  /** Columns of sizes that differ a million times are no harder than others. */
  @Test
  void standardisedFeaturesAreFast() throws IOException {
    var program =
        """
        open import "builtin:common"
        type model [d] = { weights: [d]f64, bias: f64, features: scale [d] }
        def large (x: [2]f64) = [1e6 * x[0] + 1e8, x[1], 3]
        def init [n] (x: [n][2]f64) : model [3] =
          { weights = replicate 3 0, bias = 0, features = scale_of (map large x) }
        def loss [n] (m: model [3]) (x: [n][2]f64) (y: [n]f64) : f64 =
          f64.sum (map2 (\\x y -> (f64.sum (map2 (*) m.weights (large x)) + m.bias - y) ** 2) x y)
        """;
    var optimiser = "\"optimiser\": { \"name\": \"l-bfgs\" }, \"iterations\": 12";
    var slow = train(program, optimiser).losses().getLast();
    var step =
        """
        def reparametrise (from: model [3]) (to: model [3]) : model [3] =
          let (weights, bias) =
            rescaled from.features (from.weights, from.bias) (to.weights, to.bias)
          in { weights, bias, features = from.features }
        """;
    var end = train(program + step, optimiser);
    assertTrue(end.losses().getLast() < 1e-12, end.losses().toString());
    assertTrue(slow > 1, "without that it isn't found: " + slow);
    var weights = ((ArrayValue) end.model().getLast()).toDoubleArray();
    assertEquals(3e-6, weights[0], 1e-12);
    assertEquals(-2, weights[1], 1e-6);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void fewRowsLeaveEmptyPieces(int rows) throws IOException {
    write(rows);
    var more = "\"optimiser\": { \"name\": \"l-bfgs\" }, \"parameters\": {\"lambda\": 0.001}";
    var end = train(RIDGE, more);
    assertTrue(end.losses().getLast() < end.losses().getFirst(), said.toString());
  }

  private static final String SUM =
      """
      type shape = #line f32 | #curve [2]f32 | #none
      def init (kind: i64) : shape = if kind == 0 then #line 1 else
        if kind == 1 then #curve [1, 1] else #none
      def loss [n] (m: shape) (x: [n][2]f32) (y: [n]f32) : f32 =
        match m
        case #line a -> f32.sum (map2 (\\r y -> (a * r[0] - y) ** 2) x y) / f32.i64 n
        case #curve c ->
          f32.sum (map2 (\\r y -> (c[0] * r[0] + c[1] - y) ** 2) x y) / f32.i64 n
        case #none -> f32.sum (map (** 2) y) / f32.i64 n
      """;

  /** The data is in f64, and its numbers are some of f32. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aSumOfOtherNumbers(int kind) throws IOException {
    var columns = new LinkedHashMap<String, ArrayValue>();
    columns.put("area", ArrayValue.ofDoubles(new double[] {1, 2, 3, 4}, 4));
    columns.put("rooms", ArrayValue.ofDoubles(new double[] {0, 0, 0, 0}, 4));
    columns.put("price", ArrayValue.ofDoubles(new double[] {3, 5, 7, 9}, 4));
    ArrowOutput.write(folder.resolve("data.arrow"), columns, true);
    var end =
        train(
            SUM, "\"optimiser\": {\"name\": \"l-bfgs\"}, \"parameters\": {\"kind\": " + kind + "}");
    double expected = kind == 0 ? 0.16666 : kind == 1 ? 0 : 41;
    assertEquals(expected, end.losses().getLast(), 1e-4, said.toString());
    assertEquals(end.model(), ModelFolder.open(folder.resolve("out")).orElseThrow().model());
  }

  private static final String COUNT =
      """
      def init [n] (y: [n]f64) (all: bool) : (i64, f64) = if all then (n, f64.sum y) else (0, 0)
      def step [n] (m: (i64, f64)) (y: [n]f64) (x: [n][2]f64) (shift: []f64) : (i64, f64) =
        (m.0 + n, m.1 / 2 + f64.sum shift + 0 * x[0][0] * y[0])
      """;

  @Test
  void stepsOfOnesOwnNeedNoLoss() throws IOException {
    var more =
        "\"init\": {\"rows\": \"all\"}, \"iterations\": 3,"
            + " \"parameters\": {\"all\": true, \"shift\": [1, 0.5]}";
    var end = train(COUNT, more);
    assertEquals(ScalarValue.i64(800), end.model().get(0));
    assertEquals(List.of(), end.losses());
    assertTrue(said.stream().noneMatch(l -> l.contains("loss")), said.toString());
    var sample = train(COUNT, more.replace("\"all\"}", "50}"));
    assertEquals(ScalarValue.i64(650), sample.model().get(0));
    var loss = COUNT + "def loss (m: (i64, f64)) (y: []f64) : f64 = (m.1 - 3) ** 2 + 0 * y[0]\n";
    var told = train(loss, more);
    assertEquals(4, told.losses().size());
    assertEquals(end.model(), told.model());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "optimiser": {"name": "adam", "ratee": 1}, "parameters": {"lambda": 1} | K7405
          "optimiser": {"name": "adam", "rate": true}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "l-bfgs", "memory": 1.5}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "l-bfgs", "memory": 0}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "adam", "rate": -0.1}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "adam", "beta1": 1}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "adam", "schedule": {"decay_every": 0}}, "parameters": {"lambda": 1} | K7404
          "optimiser": {"name": "adam", "schedule": {"cosin": 1}}, "parameters": {"lambda": 1}|K7405
          "optimiser": {"name": "adam", "schedule": 1}, "parameters": {"lambda": 1} | K7404
          "parameters": {"lambda": 1} | K7402
          "optimiser": {"name": "adam"}, "parameters": {"lambda": [1]} | K7404
          "optimiser": {"name": "adam"} | K7402
          """)
  void faultsOfTheConfigurationAreTold(String more, ErrorCode code) {
    assertEquals(code, code(() -> train(RIDGE, more)));
  }

  /** Row 7 of 200 has no place in the model. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | "iterations": 3
          3 | "iterations": 3
          1 | "passes": 2, "batch": { "rows": 60 }
          3 | "passes": 2, "batch": { "rows": 60, "by": "window" }
          3 | "validation": { "split": 0.01 }
          """)
  void theRowIsNamedForWhichAProgramFails(int pieces, String more) {
    partitions = pieces;
    numbers[1][7] = 5;
    writeNumbers("data.arrow");
    var program =
        """
        def init : [5]f64 = replicate 5 0
        def loss [n] (m: [5]f64) (x: [n][2]f64) (y: [n]f64) : f64 =
          f64.sum (map2 (\\r y -> (m[i64.f64 r[1]] + r[0] - y) ** 2) x y) / f64.i64 n
        """;
    var job = "\"optimiser\": { \"name\": \"adam\" }, " + more;
    var told = fault(() -> train(program, job)).diagnostics().getFirst();
    assertEquals(K5001, told.code());
    assertEquals(
        List.of(
            "it is row 7 of %s, with x = [%s, 5.0], price = %s"
                .formatted(folder.resolve("data.arrow"), numbers[0][7], numbers[2][7])),
        told.hints());
  }

  @Test
  void whatDoesNotFitTogetherIsTold() {
    var parameters = ", \"parameters\": {\"all\": true, \"shift\": []}";
    assertEquals(K7402, code(() -> train(COUNT, "\"tolerance\": 0.1" + parameters)));
    var optimiser = "\"optimiser\": {\"name\": \"adam\"}";
    assertEquals(K7402, code(() -> train(COUNT, optimiser + parameters)));
    var infinite = RIDGE.replace("/ f64.i64 n\n", "/ 0\n");
    var lambda = ", \"parameters\": {\"lambda\": 1}";
    assertEquals(K7301, code(() -> train(infinite, optimiser + lambda)));
  }
}
