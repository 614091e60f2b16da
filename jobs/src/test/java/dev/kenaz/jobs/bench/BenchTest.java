package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BenchTest {
  @TempDir Path folder;

  @Test
  void reportIsJsonAsFutharksToolsHaveIt() {
    var report = new BenchReport();
    report.add("a.fut", "#0 (\"1i32\")", new Runtimes(List.of(3_000L, 4_400L)));
    report.fail("a.fut:other", "x", "line\nline");
    assertEquals(
        "{\"a.fut\":{\"datasets\":{\"#0"
            + " (\\\"1i32\\\")\":{\"bytes\":{},\"runtimes\":[3,4],\"stderr\":\"\"}}},\"a.fut:other\":{\"datasets\":{\"x\":\"line\\n"
            + "line\"}}}\n",
        report.json());
  }

  @Test
  void measuresWhatIsWorthIt() throws IOException {
    var file =
        Files.writeString(
            folder.resolve("sum.fut"),
            """
            -- ==
            -- nobench input { [1] } output { 1 }
            -- random input { [100]i32 } auto output
            -- input { [1, 2] } output { 4 }
            def main (xs: []i32) : i32 = i32.sum xs
            """);
    var options =
        new BenchOptions(
            CompileOptions.of(Backend.JVM).onCores(1),
            5,
            Duration.ZERO,
            Duration.ZERO,
            Duration.ZERO,
            true,
            Optional.empty(),
            Set.of());
    var lines = new ArrayList<String>();
    var bench = new ProgramBench(options, lines::add);
    bench.run(List.of(file));
    assertTrue(bench.failed());
    var json = bench.report().json();
    assertFalse(json.contains("[1]\\\""), json);
    assertTrue(json.contains("\"[100]i32\":{\"bytes\":{},\"runtimes\":["), json);
    assertTrue(json.contains("wrong result"), json);
  }

  /** Its runs take no whole microsecond, so times that are rounded would never add up. */
  @Test
  void measurementOfVeryShortRunsEnds() throws IOException {
    var program = "-- ==\n-- input { } output { 1 }\nentry main = 1i32\n";
    var file = Files.writeString(folder.resolve("one.fut"), program);
    var least = Duration.ofMillis(1);
    var options =
        new BenchOptions(
            CompileOptions.of(Backend.JVM).onCores(1),
            5,
            Duration.ZERO,
            least,
            Duration.ofMillis(100),
            true,
            Optional.empty(),
            Set.of());
    var bench = new ProgramBench(options, _ -> {});
    assertTimeoutPreemptively(Duration.ofMinutes(2), () -> bench.run(List.of(file)));
    assertFalse(bench.failed());
    assertTrue(bench.report().json().contains("\"runtimes\":["), bench.report().json());
  }
}
