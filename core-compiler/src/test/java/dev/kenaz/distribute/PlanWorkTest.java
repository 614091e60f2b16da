package dev.kenaz.distribute;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * How much more work the pieces do than the whole program, as the interpreter counts it: scalar
 * operations, reads and writes. Row-wise values that several stages need are kept if that saves
 * time. A scan takes two passes over the rows, and so twice the work.
 */
final class PlanWorkTest {
  private static final Map<String, Long> SIZES =
      Map.of("n", 400L, "d", 4L, "k", 3L, "h", 4L, "m", 60L, "b", 8L, "v", 4L, "u", 3L);

  private static final Path FOLDER = Path.of("src/test/resources/distribute");

  @Test
  void piecesDoLittleMoreWorkThanTheWhole() throws IOException {
    var ratios = new TreeMap<Double, String>();
    for (var block : Files.readString(FOLDER.resolve("data-programs.txt")).split("(?m)^== ")) {
      var head = block.lines().findFirst().orElse("");
      if (head.endsWith("| divided")) {
        var text = block.substring(head.length() + 1);
        ratios.put(WholeAndPieces.workOfPieces(text, SIZES, Set.of("n")), head);
      }
    }
    var all = ratios.keySet().stream().mapToDouble(r -> r).toArray();
    assertTrue(all[all.length / 2] <= 1.02, "median of " + Arrays.toString(all));
    assertTrue(all[all.length * 84 / 100] <= 1.2, "five sixths of " + ratios);
  }
}
