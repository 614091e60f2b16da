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
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that train several models: folds and restarts. */
final class TrainSeveralTest extends TrainTesting {
  /** The model counts rows; its metrics are whole numbers that show which rows judge it. */
  private static final String COUNTS =
      """
      def init (seed: i64) : i64 = 0 * seed
      def step [n] (m: i64) (y: [n]f64) : i64 = n + i64.f64 (0 * y[0])
      def metrics [n] (m: i64) (x: [n][2]f64) (y: [n]f64) : { rows: i64, sum: f64, trained: i64 } =
        { rows = n, sum = f64.sum (map (\\r -> r[1]) x) + 0 * y[0], trained = m }
      """;

  @Test
  void eachRowJudgesOneFold() throws IOException {
    var folds = new HashSet<List<Trained>>();
    for (int pieces : new int[] {1, 3, 8}) {
      partitions = pieces;
      var end = train(COUNTS, "\"iterations\": 1, \"validation\": { \"folds\": 7 }");
      assertEquals(List.of(ScalarValue.i64(200)), end.model(), "the last model has all rows");
      folds.add(document().trained());
    }
    assertEquals(1, folds.size(), folds.toString());
    double rows = 0;
    double sum = 0;
    for (var fold : document().trained()) {
      var metrics = fold.validation().metrics();
      double held = metrics.get("rows").doubleValue();
      assertEquals(200, held + metrics.get("trained").doubleValue());
      assertTrue(held == 28 || held == 29, metrics.toString());
      rows += held;
      sum += metrics.get("sum").doubleValue();
    }
    assertEquals(200, rows);
    assertEquals(document().metrics().get("sum").doubleValue(), sum);
    assertEquals(200 / 7.0, document().folds().get("rows").mean(), 1e-9);
    assertEquals(0.534522, document().folds().get("rows").deviation(), 1e-5);
    assertNull(document().validation());
    var fold = ModelFolder.open(folder.resolve("out/fold-3")).orElseThrow();
    assertEquals(document().trained().get(2).validation(), fold.document().validation());
    assertTrue(said.stream().anyMatch(l -> l.startsWith("7 folds: rows 28.5714 +- 0.535")));
  }

  private static final String RIDGE_JOB =
      """
      "optimiser": { "name": "adam", "rate": 0.5 }, "parameters": {"lambda": 0}, "iterations": 8,
      "checkpoint": { "every": 3 },
      """;

  /** A job that ended in the second fold has the first one, and a checkpoint in the second. */
  @Test
  void foldsAreResumed() throws IOException {
    var more = RIDGE_JOB + "\"validation\": { \"folds\": 3 }, \"stop\": { \"patience\": 2 }";
    var whole = train(RIDGE, more);
    var document = document();
    Files.delete(folder.resolve("out/model.json"));
    Files.delete(folder.resolve("out/checkpoint"));
    Files.delete(folder.resolve("out/fold-2/model.json"));
    for (var name : List.of("model.json", "checkpoint")) {
      Files.delete(folder.resolve("out/fold-3").resolve(name));
    }
    said.clear();
    var resumed = train(RIDGE, more, Existing.RESUME);
    assertTrue(said.contains("fold-2  resuming after iteration 6"), said.toString());
    assertEquals(whole.model(), resumed.model());
    assertEquals(document.trained(), document().trained());
    assertEquals(document.folds(), document().folds());
    Files.delete(folder.resolve("out/model.json"));
    var other = more.replace("\"folds\": 3", "\"folds\": 4");
    assertEquals(ErrorCode.K7103, code(() -> train(RIDGE, other, Existing.RESUME)));
  }

  /** From 5, 0, 3, ... the model goes down a valley, of which only some lead to the bottom. */
  private static final String VALLEYS =
      """
      def init (seed: i64) : f64 = f64.i64 (seed * 5 %% 9)
      def loss [n] (m: f64) (y: [n]f64) (x: [n][2]f64) : f64 =
        f64.cos (2 * m) + m * 0.1 + 5 + 0 * f64.sum (map2 (\\y r -> y * r[0]) y x)
      def metrics [n] (m: f64) (y: [n]f64) : { where: f64 } = { where = m + 0 * y[0] }
      """
          .replace("%%", "%");

  @Test
  void theBestOfSeveralModelsIsTheResult() throws IOException {
    var job = "\"optimiser\": { \"name\": \"l-bfgs\" }, \"iterations\": 9, ";
    var end = train(VALLEYS, job + "\"models\": { \"restarts\": 4 }");
    var all = document().trained();
    assertEquals(4, all.size());
    double least = all.stream().mapToDouble(Trained::loss).min().orElseThrow();
    assertEquals(least, end.losses().getLast());
    assertEquals(least, document().loss());
    assertTrue(all.stream().map(Trained::loss).distinct().count() > 1, all.toString());
    assertEquals(end.model(), ModelFolder.open(folder.resolve("out")).orElseThrow().model());
    for (int seed = 1; seed <= 4; seed++) {
      var one = ModelFolder.open(folder.resolve("out/model-" + seed)).orElseThrow().model();
      assertEquals(one, train(VALLEYS, job + "\"seed\": " + seed).model());
      train(VALLEYS, job + "\"models\": { \"restarts\": 4 }");
    }
    train(
        VALLEYS,
        job
            + "\"models\": { \"restarts\": 4 }, \"stop\": {\"metric\": \"where\", \"goal\":"
            + " \"most\"}");
    var most =
        document().trained().stream()
            .mapToDouble(t -> t.metrics().get("where").doubleValue())
            .max();
    assertEquals(most.getAsDouble(), document().metrics().get("where").doubleValue());
  }

  @Test
  void restartsAreResumed() throws IOException {
    var more =
        "\"optimiser\": { \"name\": \"adam\", \"rate\": 0.3 }, \"iterations\": 7, "
            + "\"models\": { \"restarts\": 3 }, \"checkpoint\": { \"every\": 2 }";
    var whole = train(VALLEYS, more);
    var trained = new ArrayList<>(document().trained());
    Files.delete(folder.resolve("out/model.json"));
    Files.delete(folder.resolve("out/model-2/model.json"));
    said.clear();
    assertEquals(whole.model(), train(VALLEYS, more, Existing.RESUME).model());
    assertTrue(said.contains("model-2  resuming after iteration 6"), said.toString());
    assertEquals(trained, document().trained());
    assertNotEquals(trained.get(0), trained.get(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "validation": { "folds": 1 } | K7006
          "validation": { "folds": 0 } | K7006
          "validation": { "folds": 2.5 } | K7004
          "validation": { "folds": 5, "split": 0.1 } | K7006
          "validation": { "folds": 201 } | K7302
          "models": { "restarts": 0 } | K7006
          "models": {} | K7006
          "models": { "restarts": 2 }, "validation": { "folds": 2 } | K7006
          """)
  void faultsOfTheConfigurationAreTold(String more, ErrorCode code) {
    var job = "\"optimiser\": { \"name\": \"l-bfgs\" }, ";
    assertEquals(code, code(() -> train(VALLEYS, job + more)));
    assertFalse(Files.exists(folder.resolve("out/model.json")));
  }

  @Test
  void fewRowsHaveFewFolds() {
    var job = "\"optimiser\": { \"name\": \"l-bfgs\" }, \"validation\": { \"folds\": 7 }";
    write(3);
    var few = fault(() -> train(VALLEYS, job)).diagnostics().getFirst();
    assertEquals(
        "the data has 3 rows, and validation.folds is 7: each fold needs a row to judge by",
        few.message());
    assertEquals(List.of("make validation.folds 3 or less"), few.hints());
    write(1);
    var one = fault(() -> train(VALLEYS, job)).diagnostics().getFirst();
    assertTrue(one.message().startsWith("the data has 1 row, "), one.message());
    assertTrue(one.hints().getFirst().contains("other data"), one.hints().toString());
  }

  @Test
  void restartsMustDiffer() throws IOException {
    var all = "\"init\": {\"rows\": \"all\"}, \"models\": { \"restarts\": 2 }, " + RIDGE_JOB;
    var same = all.substring(0, all.lastIndexOf(','));
    assertEquals(ErrorCode.K7006, code(() -> train(RIDGE, same)));
    var counts = "\"iterations\": 1, \"models\": { \"restarts\": 2 }";
    assertEquals(ErrorCode.K7006, code(() -> train(COUNTS, counts)));
    train(COUNTS, counts + ", \"stop\": { \"metric\": \"trained\" }");
    assertEquals(2, document().trained().size());
  }
}
