package dev.kenaz.jobs.sweep;

import static dev.kenaz.error.ErrorCode.K5002;
import static dev.kenaz.error.ErrorCode.K7003;
import static dev.kenaz.error.ErrorCode.K7004;
import static dev.kenaz.error.ErrorCode.K7101;
import static dev.kenaz.error.ErrorCode.K7405;
import static dev.kenaz.error.ErrorCode.K7601;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.arrow.DatasetGenerate;
import dev.kenaz.arrow.Progress;
import dev.kenaz.cuda.runtime.DriverProbe;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps on an embedded Spark. */
final class SweepJobTest {
  private static final String GRID =
      """
      "parameters.k": [2, 3],
      "init": [{ "rows": 100 }, { "rows": 1 }]
      """;

  @TempDir Path folder;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void makeData() {
    var blobs = new DatasetGenerate.Blobs(200, 2, 3, 1, 1, Prim.F32, false);
    DatasetGenerate.write(blobs, folder.resolve("data.arrow"), 1, false, Progress.NONE);
  }

  private SweepJob sweep(String grid) throws IOException {
    Files.writeString(
        folder.resolve("job.json"),
        """
        {
          "program": "builtin:kmeans",
          "data": { "path": "data.arrow", "columns": { "points": ["x0", "x1"] } },
          "parameters": { "k": 2 },
          "iterations": 3,
          "spark": { "master": "local[2]", "partitions": 2 },
          "output": "unused"
        }
        """);
    var file =
        Files.writeString(
            folder.resolve("sweep.json"),
            "{ \"job\": \"job.json\", \"grid\": {" + grid + "}, \"output\": \"out\" }");
    return SweepJob.read(file, said::add, line -> {});
  }

  @Test
  void aCellForAGpuFailsWithoutOne() throws IOException {
    assumeFalse(DriverProbe.report().usable(), "there is a GPU here");
    var results = sweep("\"spark.backend\": [\"cuda\", \"jvm\"]").run(Existing.REFUSE);
    assertEquals(List.of(false, true), results.stream().map(CellResult::isDone).toList());
    assertEquals(K7601.name(), results.getFirst().code());
    assertNull(results.getFirst().folder(), "a cell that wrote nothing has no folder");
    for (var r : results) {
      assertEquals(
          r.isDone(),
          r.folder() != null && Files.exists(folder.resolve("out").resolve(r.folder())));
    }
  }

  @Test
  void aProgramWithoutALossHasNoBestCell() throws IOException {
    Files.writeString(
        folder.resolve("mean.fut"),
        """
        def init : [2]f32 = [0, 0]
        def step [n] (m: [2]f32) (points: [n][2]f32) (k: i64) : [2]f32 =
          map2 (\\m c -> m + (f32.sum c / f32.i64 n - m) / f32.i64 k) m (transpose points)
        """);
    var program = "\"program\": [\"mean.fut\"], \"parameters.k\": [1, 2]";
    var results = sweep(program).run(Existing.REFUSE);
    assertEquals(List.of(true, true), results.stream().map(CellResult::isDone).toList());
    assertTrue(said.contains("2 of 2 cells done"), said.toString());
    assertTrue(said.stream().noneMatch(l -> l.startsWith("best") || l.contains("cost")));
  }

  @Test
  void aFailingCellLosesNoOther() throws IOException {
    var results = sweep(GRID).run(Existing.REFUSE);
    assertEquals(
        List.of(true, false, true, false), results.stream().map(CellResult::isDone).toList());
    assertEquals(K5002.name(), results.get(1).code());
    assertTrue(results.get(2).cost() < results.get(0).cost());
    assertEquals(4, said.stream().filter(l -> l.startsWith("[")).count());

    var table = new ObjectMapper().readTree(folder.resolve("out/results.json").toFile());
    assertEquals(4, table.size());
    assertEquals("done", table.path(0).path("status").asText());
    assertEquals(2, table.path(0).path("settings").path("parameters.k").asInt());
    assertEquals(200, table.path(2).path("rows").asLong());
    assertTrue(table.path(1).path("cost").isMissingNode());
    var csv = Files.readAllLines(folder.resolve("out/results.csv"));
    assertEquals(5, csv.size());
    assertTrue(csv.get(1).startsWith("2,\"{\"\"rows\"\":100}\",done,"), csv.get(1));
    var page = Files.readString(folder.resolve("out/report.html"));
    for (var part : List.of("Losses", "<svg", "Configuration", "report.html", "class=\"best\"")) {
      assertTrue(page.contains(part), part);
    }
    var model = results.get(2).folder() + "/model.json";
    assertTrue(Files.exists(folder.resolve("out").resolve(model)));
    compare();

    assertEquals(K7101, code(() -> sweep(GRID).run(Existing.REFUSE)));
    said.clear();
    var more = sweep(GRID.replace("[2, 3]", "[2, 3, 4]").replace(": 1 }", ": 20 }"));
    assertTrue(more.run(Existing.RESUME).stream().allMatch(CellResult::isDone));
    assertEquals(2, said.stream().filter(l -> l.endsWith("(done before)")).count());
  }

  /** Compares the sweep with itself, and with one whose first cell was slower and came less far. */
  private void compare() throws IOException {
    var out = folder.resolve("out");
    var same = SweepComparison.of(out, out, 0.05);
    assertFalse(same.isWorse());
    assertTrue(same.lines().contains("2 losses: 2 the same, 0 worse"), same.lines().toString());

    var steady = changed("steady", 1, 0.01);
    var other = changed("other", 1.1, 1);
    var worse = SweepComparison.of(steady, other, 0.05);
    var lines = worse.lines();
    assertTrue(worse.isWorse());
    assertTrue(lines.getFirst().startsWith("slower "), lines.toString());
    assertEquals("2 losses: 1 the same, 1 worse", lines.getLast());
    var back = SweepComparison.of(other, steady, 0.05);
    assertFalse(back.isWorse());
    assertTrue(back.lines().getFirst().startsWith("faster "), back.lines().toString());
  }

  /**
   * Writes the sweep's results with another cost of the first cell, and with times of it that don't
   * depend on what else the machine does.
   */
  private Path changed(String name, double cost, double seconds) throws IOException {
    var out = folder.resolve("out");
    var other = Files.createDirectory(folder.resolve(name));
    Files.copy(out.resolve("machine.json"), other.resolve("machine.json"));
    var json = new ObjectMapper();
    var table = json.readTree(out.resolve("results.json").toFile());
    var first = (ObjectNode) table.path(0);
    first.put("cost", first.path("cost").asDouble() * cost);
    var times = json.createArrayNode();
    first.path("times").forEach(_ -> times.add(seconds * (1 + 0.01 * times.size())));
    first.set("times", times);
    json.writeValue(other.resolve("results.json").toFile(), table);
    return other;
  }

  @Test
  void allConfigurationsAreCheckedFirst() throws IOException {
    var error = assertThrows(UserError.class, () -> sweep("\"spark.partitions\": [2, 0, \"x\"]"));
    var messages = error.diagnostics().stream().map(d -> d.message()).toList();
    assertEquals(2, messages.size());
    assertTrue(
        messages
            .get(0)
            .endsWith(
                "sweep.json (partitions=0): $.spark.partitions must have a minimum value of 1; it"
                    + " is 0"),
        messages.get(0));
    assertEquals(K7004, error.diagnostics().get(1).code());

    error = assertThrows(UserError.class, () -> sweep("\"spark.partition\": [2]"));
    assertEquals(K7003, error.diagnostics().getFirst().code());
    assertEquals(
        List.of("did you mean \"spark.partitions\"?"), error.diagnostics().getFirst().hints());
    assertEquals(K7004, code(() -> sweep("\"seed\": 2")));
    var optimisers = "\"optimiser\": [{ \"name\": \"adam\" }, { \"name\": \"adam\", \"rtae\": 1 }]";
    error = assertThrows(UserError.class, () -> sweep(optimisers));
    assertEquals(K7405, error.diagnostics().getFirst().code());
    assertTrue(error.getMessage().contains("sweep.json (optimiser="), error.getMessage());
  }

  private static ErrorCode code(org.junit.jupiter.api.function.Executable action) {
    return assertThrows(UserError.class, action).diagnostics().getFirst().code();
  }
}
