package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Validation and early stopping. */
final class TrainValidationTest extends TrainTesting {
  /** Sums of whole numbers, which show which rows a model is trained on and judged by. */
  private static final String SUMS =
      """
      def init (seed: i64) : (f64, f64) = (f64.i64 (0 * seed), 0)
      def whole [n] (x: [n][2]f64) : (f64, f64) = (f64.i64 n, f64.sum (map (\\r -> r[1]) x))
      def step [n] (m: (f64, f64)) (x: [n][2]f64) : (f64, f64) =
        let (n, sum) = whole x in (m.0 + n, m.1 + sum)
      def metrics [n] (m: (f64, f64)) (x: [n][2]f64) (y: [n]f64)
          : { rows: f64, sum: f64, known: f64 } =
        let (rows, sum) = whole x in { rows, sum, known = m.1 + 0 * y[0] }
      """;

  @Test
  void rowsThatAreHeldBackDoNotDependOnPieces() throws IOException {
    var models = new ArrayList<>();
    var judgements = new ArrayList<>();
    for (int pieces : new int[] {1, 3, 8, 300}) {
      partitions = pieces;
      var end = train(SUMS, "\"iterations\": 1, \"validation\": { \"split\": 0.1 }");
      models.add(end.model());
      judgements.add(document().validation());
      assertEquals(180, end.rows());
      assertTrue(said.contains("20 rows for the validation"), said.toString());
    }
    assertEquals(1, models.stream().distinct().count(), models.toString());
    assertEquals(1, judgements.stream().distinct().count(), judgements.toString());
    var held = document().validation().metrics();
    var all = train(SUMS, "\"iterations\": 1");
    var known = document().metrics();
    double both = held.get("sum").doubleValue() + held.get("known").doubleValue();
    assertEquals(known.get("sum").doubleValue(), both);
    assertEquals(200, known.get("rows").doubleValue());
    assertNull(document().validation());
    assertEquals(200, number(all.model().getFirst()));
    train(SUMS, "\"iterations\": 1, \"seed\": 2, \"validation\": { \"split\": 0.1 }");
    assertNotEquals(held, document().validation().metrics());
  }

  @ParameterizedTest
  @CsvSource({"1e-9, 1", "0.9999999, 199", "0.5, 100", "0.003, 1"})
  void someRowsAreHeldBackAndSomeAreLeft(double split, int rows) throws IOException {
    train(SUMS, "\"iterations\": 1, \"validation\": { \"split\": %s }".formatted(split));
    assertEquals(rows, document().validation().metrics().get("rows").doubleValue());
    assertEquals(200 - rows, document().rows());
  }

  private static final String RIDGE_JOB =
      "\"optimiser\": { \"name\": \"l-bfgs\" }, \"parameters\": {\"lambda\": 0}, ";

  @Test
  void judgementsAreInTheHistory() throws IOException {
    var more = RIDGE_JOB + "\"iterations\": 7, \"validation\": { \"split\": 0.25, \"every\": 3 }";
    train(RIDGE, more);
    var at = new ArrayList<Integer>();
    for (var line : history()) {
      if (line.has("validation")) {
        at.add(line.path("iteration").asInt());
        assertEquals(50, line.at("/validation/metrics/rows").asInt());
        double rmse = line.at("/validation/metrics/rmse").asDouble();
        assertEquals(rmse * rmse, line.at("/validation/loss").asDouble(), 1e-9 + rmse * 1e-9);
      }
    }
    assertEquals(List.of(0, 3, 6), at);
    assertEquals(150, document().metrics().get("rows").doubleValue());
    assertEquals(50, document().validation().metrics().get("rows").doubleValue());
    assertTrue(document().validation().loss() < 0.1, said.toString());
    assertTrue(
        said.stream().anyMatch(l -> l.contains("iteration   3") && l.contains("validation loss")));
    assertFalse(
        said.stream().anyMatch(l -> l.contains("iteration   4") && l.contains("validation")));
  }

  /** With data that was held back, another file has the same judgements. */
  @Test
  void otherDataJudges() throws IOException {
    write(31, "other.arrow");
    train(RIDGE, RIDGE_JOB + "\"validation\": { \"path\": \"other.arrow\" }");
    assertEquals(31, document().validation().metrics().get("rows").doubleValue());
    assertEquals(200, document().rows());
    var plain = ModelFolder.open(folder.resolve("out")).orElseThrow().model();
    assertEquals(plain, train(RIDGE, RIDGE_JOB + "\"iterations\": 20").model());
  }

  /** The score of the model after some iterations is in a table; 999 stands for NaN. */
  private static final String TABLE =
      """
      def init (seed: i64) : i64 = 0 * seed
      def step [n] (m: i64) (y: [n]f64) : i64 = m + 1 + i64.f64 (0 * y[0])
      def metrics [n] (m: i64) (y: [n]f64) (x: [n][2]f64) (table: []f64)
          : { score: f64, other: f64 } =
        let score = table[m] + 0 * x[0][0]
        in { score = if score == 999 then f64.nan else score, other = f64.sum (map (* 0) y) }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [5, 4, 3, 4, 5, 6, 0]             | "patience": 2                        | 4 | 2
          [5, 4, 3, 4, 5, 6, 0]             | "patience": 9                        | 6 | 6
          [5, 4, 3, 4, 5, 6, 0]             | "patience": 1                        | 3 | 2
          [5, 4, 3, 4, 5, 6, 0]             | "patience": 2, "goal": "most"        | 2 | 0
          [1, 2, 2, 2, 3]                   | "patience": 2, "goal": "most"        | 3 | 1
          [9, 999, 8, 999, 999, 7]          | "patience": 2                        | 4 | 2
          [999, 5, 6, 7]                    | "patience": 2                        | 3 | 1
          [10, 9.5, 9, 8.5, 8.4]            | "patience": 2, "least_change": 0.6   | 4 | 4
          [10, 9.7, 9.6, 9.5]               | "patience": 3, "least_change": 0.6   | 3 | 3
          """)
  void theBestModelIsTheResult(String table, String stop, int iterations, int best)
      throws IOException {
    int last = table.split(",").length - 1;
    for (var validation : List.of("", ", \"validation\": { \"split\": 0.5 }")) {
      var more =
          """
          "parameters": { "table": %s }, "iterations": %d, "checkpoint": { "every": 1 },
          "stop": { "metric": "score", %s }%s
          """
              .formatted(table, last, stop, validation);
      var end = train(TABLE, more);
      assertEquals(iterations, end.iterations(), said.toString());
      assertEquals(List.of(ScalarValue.i64(best)), end.model());
      var line = history().get(Math.min(1, best));
      assertEquals(validation.isEmpty(), line.has("training"), line.toString());
      assertEquals(!validation.isEmpty(), line.has("validation"), line.toString());
      Files.delete(folder.resolve("out/model.json"));
      assertEquals(end.model(), train(TABLE, more, Existing.RESUME).model());
    }
  }

  @Test
  void aNumberThatIsNeverFiniteIsAFault() {
    var more =
        "\"parameters\": { \"table\": [999, 999, 999] }, \"iterations\": 2, "
            + "\"stop\": { \"metric\": \"score\" }";
    assertEquals(ErrorCode.K7301, code(() -> train(TABLE, more)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"l-bfgs\"", "\"adam\", \"rate\": 3"})
  void stoppingByTheLossIsResumedAsItWas(String optimiser) throws IOException {
    var more =
        """
        "optimiser": { "name": %s }, "parameters": {"lambda": 0}, "iterations": 40,
        "validation": { "split": 0.3 }, "stop": { "patience": 3, "least_change": 1e-3 },
        "checkpoint": { "every": 2 }
        """
            .formatted(optimiser);
    var whole = train(RIDGE, more);
    assertTrue(whole.iterations() < 40, said.toString());
    var judged = history();
    Files.delete(folder.resolve("out/model.json"));
    var resumed = train(RIDGE, more, Existing.RESUME);
    assertEquals(whole.model(), resumed.model());
    assertEquals(whole.losses(), resumed.losses());
    for (int i = 0; i < judged.size(); i++) {
      assertEquals(judged.get(i).get("validation"), history().get(i).get("validation"));
    }
    Files.delete(folder.resolve("out/model.json"));
    var other = more.replace("\"patience\": 3", "\"patience\": 4");
    assertEquals(ErrorCode.K7103, code(() -> train(RIDGE, other, Existing.RESUME)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "validation": { "split": 0 } | K7006
          "validation": { "split": 1 } | K7006
          "validation": { "split": -0.5 } | K7006
          "validation": { "split": "NaN" } | K7004
          "validation": { "split": null } | K7004
          "validation": { "split": 0.1, "every": 0 } | K7006
          "validation": {} | K7006
          "validation": { "split": 0.1, "path": "other.arrow" } | K7006
          "validation": { "path": "" } | K7006
          "validation": { "path": "nothing.arrow" } | K6101
          "validation": { "spilt": 0.1 } | K7003
          "stop": { "patience": 0 } | K7006
          "stop": { "patience": 2.5 } | K7004
          "stop": { "least_change": -1 } | K7006
          "stop": { "goal": "least_of_all" } | K7006
          "stop": { "metric": "rsme" } | K7406
          "stop": { "metric": "" } | K7006
          "stop": 5 | K7004
          """)
  void faultsOfTheConfigurationAreTold(String more, ErrorCode code) {
    assertEquals(code, code(() -> train(RIDGE, RIDGE_JOB + more)));
    assertFalse(Files.exists(folder.resolve("out")));
  }

  @Test
  void aMetricThatDoesNotExistHasANearestName() {
    var e = fault(() -> train(RIDGE, RIDGE_JOB + "\"stop\": { \"metric\": \"rsme\" }"));
    assertTrue(e.diagnostics().getFirst().hints().toString().contains("rmse"), e.getMessage());
  }

  @Test
  void oneRowIsNotSplit() throws IOException {
    write(1);
    var split = "\"iterations\": 1, \"validation\": { \"split\": 0.5 }";
    assertEquals(ErrorCode.K7302, code(() -> train(SUMS, split)));
    write(2);
    train(SUMS, split);
    assertEquals(
        Map.of("rows", 1.0),
        Map.of("rows", document().validation().metrics().get("rows").doubleValue()));
  }
}
