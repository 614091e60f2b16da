package dev.kenaz.jobs.train;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.ScalarValue;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Metrics that are large integers, and those that are called as something else is. */
final class TrainMetricsTest extends TrainTesting {
  /** The score after some iterations is an integer just above 2^53, or just below 2^64. */
  private static final String TABLE =
      """
      def init (seed: i64) : i64 = 0 * seed
      def step [n] (m: i64) (y: [n]f64) : i64 = m + 1 + i64.f64 (0 * y[0])
      def metrics [n] (m: i64) (x: [n][2]f64) (table: []i64) : { signed: i64, unsigned: u64 } =
        let score = table[m] + i64.f64 (0 * x[0][0])
        in { signed = 9007199254740992 + score, unsigned = u64.highest - 99 + u64.i64 score }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [5, 4, 3, 4, 5, 6, 0] | "patience": 2                    | 4 | 2
          [5, 4, 3, 3, 3, 6, 0] | "patience": 2                    | 4 | 2
          [1, 2, 3, 2, 1, 9]    | "patience": 2, "goal": "most"    | 4 | 2
          [9, 8, 8, 8, 6, 4]    | "patience": 2, "least_change": 1 | 2 | 1
          [9, 7, 5, 4, 3, 2, 1] | "patience": 2, "least_change": 1 | 6 | 6
          """)
  void integersAreComparedExactly(String table, String stop, int iterations, int best)
      throws IOException {
    int last = table.split(",").length - 1;
    for (var metric : List.of("signed", "unsigned")) {
      var more =
          """
          "parameters": { "table": %s }, "iterations": %d, "checkpoint": { "every": 1 },
          "stop": { "metric": "%s", %s }
          """
              .formatted(table, last, metric, stop);
      var end = train(TABLE, more);
      assertEquals(iterations, end.iterations(), said.toString());
      assertEquals(List.of(ScalarValue.i64(best)), end.model());
      Files.delete(folder.resolve("out/model.json"));
      assertEquals(end.model(), train(TABLE, more, Existing.RESUME).model());
    }
  }

  @Test
  void theBestOfSeveralModelsIsSoExactly() throws IOException {
    var more =
        """
        "iterations": 1, "stop": { "metric": "unsigned" },
        "models": { "grid": { "parameters.table": [[3, 3], [2, 2], [1, 1], [2, 3]] } }
        """;
    train(TABLE, more);
    var least = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.valueOf(99));
    assertEquals(least, document().metrics().get("unsigned"));
    assertTrue(said.stream().anyMatch(l -> l.contains("whose unsigned is " + least)), "" + said);
  }

  private static final String NAMES =
      RIDGE.substring(0, RIDGE.indexOf("def metrics"))
          + """
          def metrics [n][d] (m: model [d]) (x: [n][d]f64)
              : { loss: i64, seconds: i64, iterations: f64, other: i64 } =
            { loss = 42, seconds = 43 + i64.f64 (0 * m.bias * x[0][0]), iterations = 44.5, other = 45 }
          """;

  private static final String JOB =
      "\"optimiser\": { \"name\": \"l-bfgs\" }, \"parameters\": { \"lambda\": 0.5 }, ";

  @Test
  void aMetricDoesNotHideWhatHasItsName() throws IOException {
    train(NAMES, JOB + "\"iterations\": 3, \"validation\": { \"split\": 0.2 }");
    var table = ModelTable.of(List.of(folder), "-metric loss");
    var header =
        """
        folder, loss, metric iterations, metric loss, other, metric seconds, validation.loss,
        validation.iterations, validation.metric loss, validation.other, validation.seconds,
        iterations, seconds, finished
        """;
    var names = table.lines().getFirst().split(" {2,}");
    assertEquals(List.of(header.strip().split(",\\s+")), List.of(names));
    var scores = table.runs().getFirst().scores();
    assertEquals(document().loss(), scores.get("loss"));
    assertEquals(42, scores.get("metric loss").intValue());
    assertEquals(document().validation().loss(), scores.get("validation.loss"));
    assertEquals(42, scores.get("validation.metric loss").intValue());
    var told = "validation metric loss 42  validation other 45";
    assertTrue(said.stream().anyMatch(l -> l.contains(told)), said.toString());
    assertTrue(said.contains("metric loss  42"), said.toString());
    var report = Files.readString(folder.resolve("out/report.html"));
    assertTrue(report.contains("<td>metric loss</td><td>42</td>"), report);
    assertTrue(report.contains("<td>validation metric loss</td><td>42</td>"), report);
    assertFalse(report.contains("<td>loss</td><td>42</td>"), report);
  }

  @Test
  void aTrainingStopsByTheLossOrByTheMetricOfThatName() throws IOException {
    train(NAMES, JOB + "\"iterations\": 3, \"stop\": { \"patience\": 1 }");
    assertEquals(3, document().iterations());
    var stop = JOB + "\"iterations\": 3, \"stop\": { \"patience\": 1, \"metric\": \"%s\" }";
    for (var metric : List.of("metric loss", "metric seconds", "seconds", "other")) {
      train(NAMES, stop.formatted(metric));
      assertEquals(1, document().iterations(), metric);
    }
    assertEquals(ErrorCode.K7406, code(() -> train(NAMES, stop.formatted("metric other"))));
    var alone = TABLE.replace("signed", "loss").replace("unloss", "other");
    var more =
        "\"parameters\": { \"table\": [3, 2, 2, 2] }, \"iterations\": 3, \"stop\": { \"patience\":"
            + " 1 }";
    train(alone, more);
    assertEquals(2, document().iterations());
  }

  @Test
  void aSettingHasAnotherNameThanWhatWasDone() throws IOException {
    train(NAMES, JOB + "\"iterations\": 1");
    Files.move(folder.resolve("out"), folder.resolve("first"));
    train(NAMES, JOB + "\"iterations\": 2");
    var lines = ModelTable.of(List.of(folder), "loss").lines();
    assertTrue(lines.getFirst().matches("folder +setting iterations +loss .* iterations .*"));
    assertEquals(Map.of(), ModelTable.of(List.of(folder), "seconds").faults());
  }

  /** The length of weights that are 0 has no derivative. */
  @ParameterizedTest
  @ValueSource(strings = {"l-bfgs", "gradient-descent", "newton-cg"})
  void aGradientThatIsNoNumberIsWarnedOf(String optimiser) throws IOException {
    var root =
        RIDGE.replace(
            "f64.sum (map (** 2) m.weights)", "f64.sqrt (f64.sum (map (** 2) m.weights))");
    var more = JOB.replace("l-bfgs", optimiser) + "\"iterations\": 1";
    try {
      train(root, more);
    } catch (UserError e) {
      assertEquals(ErrorCode.K7301, e.diagnostics().getFirst().code());
    }
    var warnings = said.stream().filter(l -> l.contains("its gradient isn't finite")).toList();
    assertFalse(warnings.isEmpty(), said.toString());
    said.clear();
    train(RIDGE, more);
    assertFalse(said.stream().anyMatch(l -> l.contains("isn't finite")), said.toString());
  }

  @Test
  void whatAFunctionTakesIsNoHintForAnotherParameter() {
    var e = fault(() -> train(NAMES, "\"optimiser\": { \"name\": \"l-bfgs\" }"));
    var hints = e.diagnostics().getFirst().hints().toString();
    assertFalse(hints.contains("is it m?"), hints);
  }
}
