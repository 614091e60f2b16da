package dev.kenaz.jobs.tools.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class SuiteTest {
  @TempDir Path folder;

  private List<Outcome> run(String name, String program, Backend... backends) throws IOException {
    Files.writeString(folder.resolve(name), program);
    var options =
        new SuiteOptions(
            List.of(backends),
            CompileOptions.ANY_DEVICE,
            false,
            false,
            Optional.empty(),
            false,
            Set.of("slow"),
            2,
            1);
    var outcomes = new ArrayList<Outcome>();
    new Suite(options).run(List.of(folder), outcomes::addAll);
    return outcomes;
  }

  private static List<String> failed(List<Outcome> outcomes) {
    return outcomes.stream().filter(o -> o.fault().isPresent()).map(Outcome::name).toList();
  }

  /** A small argument may ask for much work, and a large one for little. */
  @Test
  @Timeout(60)
  void expectedOutputIsInterpretedOnlyWhileThatIsLittleWork() throws IOException {
    var outcomes =
        run(
            "work.fut",
            """
            -- ==
            -- entry: total
            -- "small" input { 100i64 } auto output
            -- "large" input { 100000000i64 } auto output

            entry total (n: i64) : i64 = i64.sum (map (\\i -> i * i % 7) (iota n))

            -- ==
            -- entry: iterate
            -- "iterated" input { 100000000i64 3i64 } auto output

            entry iterate (n: i64) (x: i64) : i64 = loop y = x for i < n do y * 5 + i

            -- ==
            -- entry: search
            -- "searched" input { 300000000i64 } auto output

            entry search (n: i64) : i64 = loop i = 0 while i < n do i + 3

            -- ==
            -- entry: deep
            -- "recursive" input { 40i64 } auto output

            def fib (n: i64) : i64 = if n < 2 then n else fib (n - 1) + fib (n - 2)
            entry deep (n: i64) : i64 = fib (n - n % 8 - 8)

            -- ==
            -- entry: first
            -- "wide" random input { [500000]i64 } auto output

            entry first [n] (xs: [n]i64) : i64 = xs[n - 1]
            """,
            Backend.JVM);
    assertEquals(List.of(), failed(outcomes));
    var noted = outcomes.stream().filter(o -> o.note().isPresent()).map(Outcome::name).toList();
    assertEquals(
        List.of("total large", "iterate iterated", "search searched", "deep recursive"), noted);
  }

  @Test
  void propertiesAreTriedOnRandomArguments() throws IOException {
    var outcomes =
        run(
            "properties.fut",
            """
            -- ==
            -- property: twice small few even
            #[prop(gen(evens))]
            entry even (xs: []i32) = all ((== 0) <-< (% 2)) xs && length xs <= 255
            entry evens (size: u8) (seed: i32) = tabulate (i64.u8 size) (\\i -> 2 * (seed + i32.i64 i))
            #[prop]
            entry twice (xs: []i32) = and (map2 (==) (reverse (reverse xs)) xs)
            #[prop(gen(make), shrink(less), size(100))]
            entry small (x: i64) = x < 7
            entry make (size: i64) (seed: i64) : i64 = size + seed * 0
            entry less (x: i64) (_: i32) : i64 = x - 1
            entry few (r: {xs: [][]f32, k: i32}) = length r.xs < 4 || r.xs[5, 5] > 2
            """,
            Backend.JVM);
    assertEquals(List.of("property small", "property few"), failed(outcomes));
    assertEquals(Optional.of("is false for 7i64"), outcomes.get(1).fault());
    assertTrue(outcomes.get(2).fault().get().contains("Index [5, 5] out of bounds"));
  }

  @Test
  void inputsOfAllKinds() throws IOException {
    Files.writeString(folder.resolve("three.in"), "[1i64, 2i64, 3i64]");
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(folder.resolve("four.in.gz")))) {
      out.write("[1i64, 2i64, 3i64, 4i64]".getBytes());
    }
    var outcomes =
        run(
            "sums.fut",
            """
            -- Sums.
            -- ==
            -- entry: total
            -- input { [1, 2, 3] } output { 6i64 }
            -- input { [1, 2, 3] } output { 7i64 }
            -- input @ three.in output { 6i64 }
            -- input @ four.in.gz output { 10i64 }
            -- random input { [1000]i64 } auto output
            -- script input { make 5 } output { 10i64 }
            -- "named" script input { let (a, b) = both 3i64 in a } output { 3i64 }
            -- slow input { [1] } output { 0i64 }
            -- input { 1 2 3 }
            entry total (xs: []i64) : i64 = i64.sum xs
            entry make (n: i64) : []i64 = iota n
            entry both (n: i64) : ([]i64, i64) = (iota n, n)
            -- ==
            -- entry: at
            -- input { [1, 2] 2i64 } error: out of bounds
            -- input { [1, 2] 2i64 } error: no such message
            -- input { [1, 2] 1i64 } error: out of bounds
            -- compiled input { [1, 2] 1i64 } output { 2 }
            entry at (xs: []i32) (i: i64) = xs[i]
            """,
            Backend.JVM,
            Backend.INTERPRET);
    assertEquals(25 - 2, outcomes.size());
    var wrong =
        List.of(
            "total #1 (\"[1, 2, 3]\")",
            "total #8 (\"1 2 3\")",
            "at #1 (\"[1, 2] 2i64\")",
            "at #2 (\"[1, 2] 1i64\")");
    var twice = new ArrayList<>(wrong);
    twice.addAll(wrong);
    assertEquals(twice, failed(outcomes));
  }

  @Test
  void programsToBeRejected() throws IOException {
    var outcomes =
        run(
            "bad.fut",
            """
            -- ==
            -- error: Unknown name
            def main (x: i32) = x + y
            """,
            Backend.JVM);
    assertEquals(1, outcomes.size());
    assertEquals(List.of(), failed(outcomes));
  }

  @Test
  void whatIsNotRejectedAndWhatCannotBeCompiled() throws IOException {
    assertEquals(
        List.of("compilation"),
        failed(run("good.fut", "-- ==\n-- error: type\ndef main (x: i32) = x\n", Backend.JVM)));
    Files.delete(folder.resolve("good.fut"));
    assertEquals(
        List.of("compilation"),
        failed(
            run("odd.fut", "-- ==\n-- input { 1 }\n-- output { 1 }\ndef main = z\n", Backend.JVM)));
  }

  @Test
  void disabledProgramsAndLibrariesAreLeftOut() throws IOException {
    Files.writeString(folder.resolve("lib.fut"), "def x = true + 1\n");
    assertEquals(
        List.of(),
        run(
            "off.fut",
            "-- ==\n-- tags { disable }\n-- input { 1 } output { 2 }\ndef main (x: i32) = x\n",
            Backend.JVM));
  }
}
