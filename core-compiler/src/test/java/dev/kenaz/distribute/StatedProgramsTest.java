package dev.kenaz.distribute;

import static dev.kenaz.error.ErrorCode.K8001;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.distribute.WholeAndPieces.Different;
import dev.kenaz.distribute.WholeAndPieces.Failing;
import dev.kenaz.distribute.WholeAndPieces.Refused;
import dev.kenaz.distribute.WholeAndPieces.Same;
import dev.kenaz.error.Diagnostic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;

/**
 * Programs over rows, each stated to be divided, or to gather rows in one place, or to be refused.
 * Over pieces they give what they give over the whole.
 *
 * <p>A program begins with a line {@code == name | divided}, {@code == name | gathers LINE reason;
 * LINE reason}, {@code == name | refused LINE reason}, or {@code == name | fails} if it fails on
 * these arguments, over the whole and over pieces.
 */
@Execution(CONCURRENT)
final class StatedProgramsTest {
  private static final Map<String, Long> SIZES =
      Map.of("n", 9L, "d", 3L, "k", 2L, "h", 4L, "m", 5L, "b", 6L, "v", 4L, "u", 3L);

  private static final Path FOLDER = Path.of("src/test/resources/distribute");

  /** As data engineers write them, with one dataset. */
  @TestFactory
  Stream<DynamicTest> programsOfDataEngineers() throws IOException {
    return programs(FOLDER.resolve("data-programs.txt"), Set.of("n"));
  }

  /** As those write them who look for faults. */
  @TestFactory
  Stream<DynamicTest> hostilePrograms() throws IOException {
    return programs(FOLDER.resolve("hostile-programs.txt"), Set.of("n"));
  }

  /** A file for each kind of program; arrays of m rows are a second dataset. */
  @TestFactory
  Stream<DynamicTest> programsOfAllKinds() throws IOException {
    try (var files = Files.list(FOLDER.resolve("programs"))) {
      var all = files.sorted().toList();
      return all.stream().flatMap(file -> programs(file, Set.of("n", "m")));
    }
  }

  /** Of twenty programs, nineteen are divided altogether. */
  @Test
  void fewProgramsGatherRows() throws IOException {
    try (var files = Files.list(FOLDER.resolve("programs"))) {
      var text = files.map(StatedProgramsTest::read).collect(Collectors.joining());
      long divided =
          text.lines().filter(l -> l.startsWith("== ") && l.endsWith("| divided")).count();
      long gather =
          text.lines().filter(l -> l.startsWith("== ") && l.contains("| gathers")).count();
      assertTrue(divided >= 19 * gather, divided + " are divided, and " + gather + " gather rows");
    }
  }

  private static Stream<DynamicTest> programs(Path file, Set<String> datasets) {
    return Arrays.stream(read(file).split("(?m)^== ")).skip(1).map(b -> program(b, datasets));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DynamicTest program(String block, Set<String> datasets) {
    var head = block.lines().findFirst().orElseThrow();
    var parts = head.split(" \\| ", 2);
    return DynamicTest.dynamicTest(
        parts[0], () -> check(parts[1], block.substring(head.length() + 1), datasets));
  }

  private static void check(String stated, String text, Set<String> datasets) {
    switch (WholeAndPieces.compare(text, SIZES, 7, datasets)) {
      case Same(var plan) -> {
        var gathered =
            plan.gathered().stream().map(g -> about(g.why())).collect(Collectors.joining("; "));
        assertEquals(stated, gathered.isEmpty() ? "divided" : "gathers " + gathered);
        if (gathered.isEmpty()) {
          var each = plan.pieces().pieces();
          assertTrue(
              plan.stages().stream()
                  .flatMap(s -> s.gathered().stream())
                  .allMatch(v -> v.type().dims().getFirst().equals(each)),
              "gathers rows");
        }
      }
      case Refused(var why) -> {
        assertEquals(stated, "refused " + about(why.diagnostic()));
        assertEquals(K8001, why.diagnostic().code());
      }
      case Failing(var why, var inPieces) -> {
        assertEquals(stated, "fails", why);
        assertEquals(Set.of(), inPieces, why);
      }
      case Different(var what) -> fail(what);
    }
  }

  private static String about(Diagnostic why) {
    return why.span().line() + " " + why.message().split(": ", 2)[1];
  }
}
