package dev.kenaz.distribute;

import static dev.kenaz.error.ErrorCode.K8001;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.distribute.WholeAndPieces.Different;
import dev.kenaz.distribute.WholeAndPieces.Failing;
import dev.kenaz.distribute.WholeAndPieces.Refused;
import dev.kenaz.distribute.WholeAndPieces.Same;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Programs over rows, each stated to be planned or refused. A planned one gives over pieces what it
 * gives over the whole; a refused one says in which line it can't be cut, and why.
 *
 * <p>A program begins with a line {@code == name | planned} or {@code == name | refused LINE |
 * reason}.
 */
final class StatedProgramsTest {
  private static final Map<String, Long> SIZES =
      Map.of("n", 9L, "d", 3L, "k", 2L, "h", 4L, "m", 5L, "b", 6L, "v", 4L, "u", 3L);

  /** As data engineers write them. */
  @TestFactory
  Stream<DynamicTest> programsOfDataEngineers() {
    return programs("data-programs.txt");
  }

  /** As those write them who look for faults. */
  @TestFactory
  Stream<DynamicTest> hostilePrograms() {
    return programs("hostile-programs.txt");
  }

  private static Stream<DynamicTest> programs(String file) {
    try (var in = StatedProgramsTest.class.getResourceAsStream("/distribute/" + file)) {
      var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(text.split("(?m)^== ")).skip(1).map(StatedProgramsTest::program);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DynamicTest program(String block) {
    var head = block.lines().findFirst().orElseThrow();
    var parts = head.split(" \\| ", 2);
    return DynamicTest.dynamicTest(
        parts[0], () -> check(parts[1], block.substring(head.length() + 1)));
  }

  private static void check(String stated, String text) {
    switch (WholeAndPieces.compare(text, SIZES, 7)) {
      case Same _ -> assertEquals(stated, "planned");
      case Refused(var why, var gathered) -> {
        var line = why.diagnostic().span().line();
        var reason = why.diagnostic().message().split(": ", 2)[1];
        assertEquals(stated, "refused " + line + " | " + reason);
        assertEquals(K8001, why.diagnostic().code());
        var never = "a call of the recursive function";
        assertEquals(!reason.startsWith(never), gathered.isPresent(), "whether it is gathered");
        gathered.ifPresent(plan -> assertFalse(plan.gathered().isEmpty()));
      }
      case Failing(var why) -> fail("fails by itself: " + why);
      case Different(var what) -> fail(what);
    }
  }
}
