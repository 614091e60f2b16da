package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7001;
import static dev.kenaz.error.ErrorCode.K7002;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.sweep.SweepJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ConfigReaderTest {
  private static final String GOOD =
      """
      {
        "program": "builtin:kmeans",
        "data": { "path": "d.arrow", "columns": { "points": ["a", "b"], "y": "c" } },
        "parameters": { "k": 3 },
        "output": "out"
      }
      """;

  @TempDir Path folder;

  private TrainConfig read(String text) throws IOException {
    return ConfigReader.readTrain(Files.writeString(folder.resolve("job.json"), text));
  }

  @Test
  void defaultsAreFilledIn() throws IOException {
    var c = read(GOOD);
    assertEquals(Optional.empty(), c.optimiser());
    assertEquals(List.of("a", "b"), c.data().names("points"));
    assertEquals(List.of("c"), c.data().names("y"));
    assertEquals(1000, c.init().sample().getAsLong());
    assertEquals(1, c.seed());
    assertEquals(20, c.rounds());
    assertEquals(Optional.empty(), c.checkpoint());
    assertEquals(Optional.empty(), c.spark().master());
  }

  @Test
  void everySampleIsValid() throws IOException {
    var samples = Path.of("../configs");
    try (var files = Files.list(samples)) {
      var jobs = files.filter(f -> f.getFileName().toString().endsWith(".json")).toList();
      assertTrue(!jobs.isEmpty());
      for (var job : jobs) {
        if (job.getFileName().toString().startsWith("sweep")) {
          SweepJob.read(job, line -> {}, line -> {});
        } else {
          ConfigReader.readTrain(job);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "columns"   | "colums"    | K7003 | $.data     | did you mean "columns"?
          "output"    | "outptu"    | K7003 | $          | did you mean "output"?
          "k": 3      | "k": "3"    | K7004 | $.parameters.k  |
          "output"    | "init": {"rows": 0}, "output" | K7006 | $.init.rows  |
          "output"    | "init": {"rows": "al"}, "output" | K7006 | $.init.rows  |
          "columns"   | "nulls"     | K7005 | $.data    |
          ["a", "b"]  | []          | K7006 | $.data.columns.points |
          "points"    | "Points"    | K7006 | $.data.columns |
          "output"    | "optimiser": { "name": "lbfgs" }, "output" | K7006 | $.optimiser.name | did you mean "l-bfgs"?
          """)
  void faultIsToldByPath(String from, String to, ErrorCode code, String path, String hint)
      throws IOException {
    assertTrue(GOOD.contains(from));
    var failure = assertThrows(UserError.class, () -> read(GOOD.replace(from, to)));
    var fault =
        failure.diagnostics().stream().filter(d -> d.code().equals(code)).findFirst().orElseThrow();
    assertTrue(fault.message().contains(": " + path + " "), fault.message());
    if (hint != null) {
      assertEquals(hint, fault.hints().getFirst());
    }
  }

  @Test
  void brokenJsonHasAPlace() {
    var failure = assertThrows(UserError.class, () -> read("{\n  \"data\": ,\n}"));
    var fault = failure.diagnostics().getFirst();
    assertEquals(K7001, fault.code());
    assertEquals(2, fault.span().line());
  }

  @Test
  void missingFile() {
    var failure =
        assertThrows(UserError.class, () -> ConfigReader.readTrain(folder.resolve("no-such.json")));
    assertEquals(K7002, failure.diagnostics().getFirst().code());
  }
}
