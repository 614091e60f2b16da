package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.jobs.Main;
import dev.kenaz.jobs.OwnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sweep is killed at random moments, and goes on. It is slow because each time several Java
 * processes start.
 */
@Tag("slow")
final class KilledSweepTest {
  private static final int KILLS = 20;
  private static final int CELLS = 24;

  @TempDir private Path folder;

  private Process start() throws IOException {
    return OwnProcess.java(
            Main.class,
            List.of(),
            List.of("sweep", folder.resolve("s.json").toString(), "--resume"))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("log").toFile())
        .start();
  }

  /** Returns the lines of the results by their cells; each must be whole, and there once. */
  private Map<String, String> lines() throws IOException {
    var file = folder.resolve("out").resolve(MeasurementsFile.NAME);
    var lines = new LinkedHashMap<String, String>();
    if (!Files.exists(file)) {
      return lines;
    }
    var text = Files.readString(file);
    // What stands behind the last end of a line is what a killed process was writing.
    var whole = text.substring(0, text.lastIndexOf('\n') + 1);
    for (var line : whole.lines().toList()) {
      var name = line.replaceFirst("^\\{\"cell\":\"([^\"]*)\".*", "$1");
      assertEquals(null, lines.put(name, line), name);
      assertTrue(line.endsWith("}"), line);
    }
    return lines;
  }

  /** The workers of a sweep end when it is killed; nothing else measures beside the next one. */
  private static void requireNoOrphans(List<ProcessHandle> workers) throws Exception {
    for (var worker : workers) {
      worker.onExit().get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void cellsThatAreMeasuredStayAndOthersFollow() throws Exception {
    Files.writeString(
        folder.resolve("p.fut"), "entry squares (xs: []f64) = f64.sum (map (** 2) xs)");
    var sizes = new ArrayList<String>();
    for (int i = 1; i <= CELLS / 2; i++) {
      sizes.add("{ \"name\": \"%d\", \"n\": %d }".formatted(i, 10 * i));
    }
    Files.writeString(
        folder.resolve("s.json"),
        """
        { "axes": { "size": %s, "mode": ["value", "gradient"] },
          "common": { "program": "p.fut", "entry": "squares", "input": { "random": ["[$n]f64"] } },
          "beside": ["mode"],
          "measure": { "processes": 1, "seconds": 0.05, "warm-up": 0.1, "limit": 30 },
          "output": "out" }
        """
            .formatted(sizes));
    long seed = System.nanoTime();
    var moments = new Random(seed);
    var before = new LinkedHashMap<String, String>();
    int rounds = 0;
    for (int kills = 0; kills < KILLS; rounds++) {
      var process = start();
      if (process.waitFor(moments.nextLong(500, 6000), TimeUnit.MILLISECONDS)) {
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve("log")));
        assertEquals(CELLS, lines().size(), "seed " + seed);
        Files.delete(folder.resolve("out").resolve(MeasurementsFile.NAME)); // Once more.
        before.clear();
        continue;
      }
      var workers = process.descendants().toList();
      process.destroyForcibly().waitFor();
      kills++;
      requireNoOrphans(workers);
      var now = lines();
      before.forEach((cell, line) -> assertEquals(line, now.get(cell), "seed " + seed));
      before.putAll(now);
    }
    assertEquals(0, start().waitFor(), Files.readString(folder.resolve("log")));
    var all = lines();
    before.forEach((cell, line) -> assertEquals(line, all.get(cell), "seed " + seed));
    assertEquals(CELLS, all.size(), "seed " + seed);
    assertEquals(CELLS, MeasurementsFile.read(folder.resolve("out")).size());
    assertTrue(Files.exists(folder.resolve("out").resolve(MeasurementTable.NAME)));
    try (var files = Files.list(folder.resolve("out"))) {
      var left = files.map(p -> p.getFileName().toString()).filter(n -> n.startsWith("."));
      assertEquals(List.of(), left.filter(n -> !n.equals(".kenaz-lock")).toList());
    }
  }
}
