package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.arrow.ArrowDataset;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.Main;
import dev.kenaz.jobs.OwnProcess;
import dev.kenaz.jobs.bench.BenchInputs;
import dev.kenaz.jobs.measure.Measurement.Status;
import dev.kenaz.jobs.train.OutputFolder.Existing;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.Prim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures real cells, in processes of their own, for short times. */
final class BenchmarkSweepTest {
  private static final String QUICK =
      "\"measure\": { \"processes\": 1, \"seconds\": 0.1, \"warm-up\": 0.3, \"limit\": 30 }";

  @TempDir private Path folder;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void write() throws IOException {
    Files.writeString(
        folder.resolve("p.fut"),
        """
        -- ==
        -- entry: total
        -- "three" input { [1.0, 2.0, 3.0] } output { 6.0 }
        entry total (xs: []f64) = f64.sum xs
        entry ones (n: i64) = replicate n 1f64
        entry squares (xs: []f64) = f64.sum (map (\\x -> x * x) xs)
        entry bad (xs: []f64) = xs[i64.f64 (f64.sum xs) + 1000]
        """);
  }

  private List<Measurement> run(Existing existing, String text) throws IOException {
    Files.writeString(folder.resolve("s.json"), text);
    said.clear();
    return BenchmarkSweep.read(folder.resolve("s.json"), List.of(), List.of(), said::add)
        .run(existing);
  }

  private static String sweep(String axes, String more) {
    return """
    { "axes": { %s }, "common": { "program": "p.fut", "entry": "squares" }, %s,
      "output": "out" %s }
    """
        .formatted(axes, QUICK, more);
  }

  @Test
  void allWaysToArgumentsAndModesAreMeasured() throws IOException {
    var results =
        run(
            Existing.REFUSE,
            sweep(
                """
                "case": [
                  { "name": "random", "input": { "random": ["[100]f64"] }, "operations": "count" },
                  { "name": "script", "input": { "script": "ones 7i64" }, "mode": "gradient" },
                  { "name": "block", "entry": "total", "input": { "case": "three" }, "mode": "vjp" },
                  { "name": "vector", "input": { "random": ["[$n]f64"] }, "mode": "hessian-vector", "n": 9,
                    "operations": "2 * $n", "bytes": "8 * ($n + 1)" }
                ]
                """,
                ", \"title\": \"Ways\""));
    for (var m : results) {
      assertEquals(Status.DONE, m.status(), m.toString());
      assertTrue(m.seconds() > 0 && m.low() <= m.seconds() && m.seconds() <= m.high());
      assertTrue(m.samples().getFirst().size() >= 3); // on a machine that is busy
      assertTrue(m.peak() > 10 << 20, m.toString());
    }
    // A hundred multiplications, and as many additions.
    assertEquals(new CellWork(200.0, 808.0), results.getFirst().work());
    assertEquals(new CellWork(18.0, 80.0), results.getLast().work());
    var page = Files.readString(folder.resolve("out/report.html"));
    assertTrue(page.contains("Roofline") && page.contains("most of f64"), page);
    assertTrue(page.contains("<h1>Ways</h1>") && page.contains("vector"), page);
    var json = new ObjectMapper().readTree(FutharkJson.of(results));
    var times = json.path("p.fut:squares").path("datasets").path("case=random").path("runtimes");
    assertEquals(results.getFirst().samples().getFirst().size(), times.size(), json.toString());
    var table = ArrowDataset.open(folder.resolve("out/results.arrow").toString());
    assertEquals(4, table.rowCount());
    assertEquals(
        results.getFirst().seconds(),
        table.column("seconds").toVector(Prim.F64).toDoubleArray()[0]);
  }

  /** Kenaz itself has a server that speaks Futhark's protocol. */
  @Test
  void aServerOfFutharksProtocolIsAPeer() throws IOException {
    var arguments = List.of("server", folder.resolve("p.fut").toString());
    var server =
        OwnProcess.java(Main.class, List.of(), arguments).command().stream()
            .map(w -> "\"" + w.replace("\\", "\\\\") + "\"")
            .toList();
    var results =
        run(
            Existing.REFUSE,
            sweep(
                    "\"peer\": [\"server\"]",
                    ", \"peers\": { \"server\": { \"command\": %s, \"protocol\": \"futhark\" } }"
                        .formatted(server))
                .replace(
                    "\"entry\": \"squares\"",
                    "\"entry\": \"squares\", \"input\": { \"random\": [\"[5]f64\"] }"));
    assertEquals(Status.DONE, results.getFirst().status(), results.toString());
    assertTrue(results.getFirst().seconds() < 1, results.toString());
  }

  /** A script of a shell is a peer: one that works, and those that do what a peer must not do. */
  @Test
  void peersAreMeasuredAndTheirFaultsAreLines() throws IOException {
    var results =
        run(
            Existing.REFUSE,
            sweep(
                    "\"peer\": [\"kenaz\", \"works\", \"hangs\", \"dies\", \"lies\", \"none\"]",
                    """
                    , "peers": {
                      "works": { "command": ["sh", "-c",
                        "echo '{\\"ready\\": true}'; while read a b; do case $a in run) echo '{\\"seconds\\": 0.02}';; *) echo '{\\"error\\": \\"there is no command\\"}';; esac; done"] },
                      "hangs": { "command": ["sh", "-c", "echo '{\\"ready\\": true}'; sleep 100"] },
                      "dies": { "command": ["sh", "-c", "echo alas >&2; exit 3"] },
                      "lies": { "command": ["sh", "-c",
                        "echo '{\\"ready\\": true}'; while read a b; do case $a in run) echo '{\\"seconds\\": 0.02}';; *) cp $input $b; echo '{\\"written\\": true}';; esac; done"] },
                      "none": { "command": ["./there-is-no-such-command"] }
                    }
                    """)
                .replace("\"limit\": 30", "\"limit\": 8")
                .replace(
                    "\"entry\": \"squares\"",
                    "\"entry\": \"squares\", \"input\": { \"random\": [\"[5]f64\"] }"));
    var byPeer = new HashMap<String, Measurement>();
    results.forEach(m -> byPeer.put(m.axes().get("peer"), m));
    assertEquals(Status.DONE, byPeer.get("kenaz").status());
    assertEquals(Status.DONE, byPeer.get("works").status(), byPeer.get("works").toString());
    assertEquals(Status.HUNG, byPeer.get("hangs").status());
    assertTrue(byPeer.get("dies").message().contains("status 3: alas"));
    assertTrue(
        byPeer.get("lies").message().contains("not that of Kenaz"), byPeer.get("lies").message());
    assertTrue(byPeer.get("none").message().contains("can't start"));
  }

  @Test
  void aCellThatFailsIsALineAndResumeMeasuresOnlyWhatIsLeft() throws IOException {
    var text =
        sweep("\"entry\": [\"total\", \"bad\"]", ", \"measure\": { \"processes\": 1 }")
            .replace(", \"measure\": { \"processes\": 1 }", "")
            .replace("\"entry\": \"squares\"", "\"input\": { \"random\": [\"[5]f64\"] }");
    var results = run(Existing.REFUSE, text);
    assertEquals(
        List.of(Status.DONE, Status.FAILED), results.stream().map(Measurement::status).toList());
    assertTrue(results.getLast().message().contains("out of bounds"), results.getLast().message());
    assertThrows(UserError.class, () -> run(Existing.REFUSE, text));

    var file = folder.resolve("out/results.jsonl");
    Files.writeString(file, Files.readString(file) + "{ \"cell\": \"half a li");
    var again = run(Existing.RESUME, text.replace("\"bad\"", "\"bad\", \"squares\""));
    assertEquals(results.getFirst(), again.getFirst());
    assertEquals(Status.DONE, again.getLast().status());
    assertTrue(said.getFirst().startsWith("2 cells in 2 groups"), said.getFirst());
    assertEquals(3, MeasurementsFile.read(folder.resolve("out")).size());

    var program = folder.resolve("p.fut");
    Files.writeString(program, Files.readString(program) + "\n-- changed\n");
    said.clear();
    var changed = run(Existing.RESUME, text.replace("\"bad\"", "\"squares\""));
    assertNotEquals(again.getLast().at(), changed.getLast().at());
    assertTrue(said.getFirst().contains("its program has changed"), said.getFirst());
  }

  /** Nothing is measured here: that takes minutes. */
  @Test
  void theConfigurationsThatComeWithKenazNameProgramsThatExist() throws IOException {
    for (var name : List.of("paper/all.json", "benchmarks/kmeans.json")) {
      var file = Path.of("../configs").resolve(name);
      var sweeps = BenchmarkSweeps.read(file, List.of(), List.of(), said::add);
      sweeps.plan();
      var entries = new LinkedHashMap<String, Set<String>>();
      for (var cell : sweeps.all().stream().flatMap(s -> s.cells().stream()).toList()) {
        var settings = cell.settings();
        entries
            .computeIfAbsent(settings.path("program").asText(), _ -> new HashSet<>())
            .add(settings.path("entry").asText());
      }
      entries.forEach(
          (program, names) -> {
            var source =
                program.startsWith("builtin:")
                    ? BenchInputs.program(program.substring(8))
                    : ProgramSource.read(file.getParent().resolve(program));
            try (var compiled = Compiler.compile(source, CompileOptions.of(Backend.INTERPRET))) {
              names.forEach(compiled::entry);
            }
          });
    }
    assertTrue(said.stream().anyMatch(l -> l.contains("GMM: n 1000, d 64, K 25")), said::toString);
  }

  @Test
  void whatNeedsTooMuchMemoryIsStopped() throws IOException {
    var results =
        run(
            Existing.REFUSE,
            sweep("\"cores\": [1]", "")
                .replace(
                    "\"entry\": \"squares\"",
                    "\"entry\": \"squares\", \"input\": { \"random\": [\"[5]f64\"] }")
                .replace("\"limit\": 30", "\"limit\": 30, \"memory\": \"20m\""));
    assertEquals(Status.MEMORY, results.getFirst().status(), results.toString());
  }
}
