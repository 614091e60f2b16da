package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CellsTest {
  @TempDir private Path folder;

  private List<BenchmarkCell> cells(String text) throws IOException {
    var file = folder.resolve("sweep.json");
    Files.writeString(file, text);
    var config = ConfigReader.readBenchmark(file, List.of());
    return Cells.of(config, "sweep.json", new LinkedHashMap<>());
  }

  private List<BenchmarkCell> with(String more) throws IOException {
    return cells(
        """
        { "axes": { "size": [ { "name": "small", "n": 10 }, { "name": "large", "n": 20 } ],
                    "mode": ["value", "gradient"] },
          "common": { "program": "p.fut", "input": { "random": ["[$n]f64"] } },
          "output": "out" %s }
        """
            .formatted(more));
  }

  @Test
  void theLastAxisVariesFastestAndVariablesAreReplaced() throws IOException {
    var cells = with("");
    assertEquals(
        List.of(
            "size=small mode=value",
            "size=small mode=gradient",
            "size=large mode=value",
            "size=large mode=gradient"),
        cells.stream().map(BenchmarkCell::title).toList());
    assertEquals(
        "[20]f64", cells.getLast().settings().path("input").path("random").path(0).asText());
    assertEquals("gradient", cells.getLast().settings().path("mode").asText());
    assertEquals(4, cells.stream().map(BenchmarkCell::name).distinct().count());
  }

  @Test
  void cellsAreExcludedAndChosen() throws IOException {
    assertEquals(
        3, with(", \"exclude\": [{ \"size\": \"large\", \"mode\": \"gradient\" }]").size());
    var only = with(", \"only\": [{ \"mode\": \"gradient\" }]");
    assertTrue(only.stream().allMatch(c -> c.axes().get("mode").equals("gradient")));
    assertEquals(2, only.size());
    var file = folder.resolve("sweep.json");
    var conditions = new LinkedHashMap<String, Set<String>>();
    conditions.put("size", Set.of("small"));
    var config = ConfigReader.readBenchmark(file, List.of());
    assertEquals(1, Cells.of(config, "sweep.json", conditions).size());
  }

  @Test
  void aVariableMayStandForAnotherOneAndKeepsItsType() throws IOException {
    var cells =
        cells(
            """
            { "axes": { "case": [ { "name": "a", "threads": 3, "what": "${base}_ad", "base": "f" } ] },
              "common": { "program": "p.fut", "entry": "$what", "cores": "$threads",
                          "input": { "script": "let x = $loaddata \\"a\\" in make x" } },
              "output": "out" }
            """);
    var settings = cells.getFirst().settings();
    assertEquals("f_ad", settings.path("entry").asText());
    assertTrue(settings.path("cores").isInt());
    assertTrue(settings.path("input").path("script").asText().contains("$loaddata"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"sise\": [1]|there is no setting sise",
        "\"mode\": [\"value\"], \"x\": [{ \"n\": 1 }]|has no name",
        "\"mode\": [\"value\"], \"x\": [{ \"name\": \"a\" }, { \"name\": \"a\", \"n\": 1 }]|the"
            + " same name",
        "\"peer\": [\"torch\"]|there is no peer torch",
        "\"mode\": [\"gradiant\"]|there is no mode gradiant",
      })
  void whatIsProbablyAMistakeIsAnError(String axes, String message) {
    var text = "{ \"axes\": { %s }, \"common\": { \"program\": \"p.fut\" }, \"output\": \"o\" }";
    var error = assertThrows(UserError.class, () -> cells(text.formatted(axes)));
    assertTrue(error.getMessage().contains(message), error.getMessage());
  }

  @Test
  void anUnknownValueIsNamedWithTheKnownOnes() {
    var error =
        assertThrows(UserError.class, () -> with(", \"exclude\": [{ \"size\": \"largest\" }]"));
    assertTrue(error.getMessage().contains("has no value largest"), error.getMessage());
    assertFalse(error.diagnostics().getFirst().hints().isEmpty());
    var ratios = ", \"ratios\": { \"overhead\": { \"of\": \"mode\", \"to\": \"valu\" } }";
    assertTrue(
        assertThrows(UserError.class, () -> with(ratios))
            .getMessage()
            .contains("the axis mode has no value valu"));
  }

  @Test
  void aFolderWithoutCellsIsNotCompared() throws IOException {
    Files.writeString(folder.resolve("results.jsonl"), "{\"cell\": ");
    var error = assertThrows(UserError.class, () -> Comparison.Side.of(folder));
    assertTrue(error.getMessage().contains("no cell that was measured"), error.getMessage());
  }

  @Test
  void withoutAProgramThereIsNothingToMeasure() {
    var error =
        assertThrows(
            UserError.class,
            () -> cells("{ \"axes\": { \"mode\": [\"value\"] }, \"output\": \"o\" }"));
    assertTrue(error.getMessage().contains("program"), error.getMessage());
  }
}
