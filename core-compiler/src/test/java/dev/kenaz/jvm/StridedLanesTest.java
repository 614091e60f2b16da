package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Elements at a stride come from vectors of neighbours and go there, for vectors of all lengths.
 */
final class StridedLanesTest {
  /** Each number in memory is its own index, so that a lane tells what it has. */
  @ParameterizedTest
  @CsvSource({
    "2, 2, 2",
    "2, 3, 2",
    "2, 4, 2",
    "4, 2, 2",
    "4, 3, 4",
    "4, 4, 4",
    "8, 2, 2",
    "8, 3, 3",
    "8, 4, 4",
    "16, 2, 2",
    "16, 3, 4",
    "16, 4, 4"
  })
  void elementsAreTakenFromAFewVectors(int lanes, int stride, int vectors) {
    var moves = new StridedLanes(lanes, stride);
    var windows = moves.windows();
    assertEquals(vectors, windows.size());
    int last = stride * (lanes - 1);
    var together = new int[lanes];
    Arrays.fill(together, -1);
    for (var w : windows) {
      assertTrue(w.start() >= 0 && w.start() + lanes - 1 <= last, () -> "reads outside: " + w);
      for (int lane = 0; lane < lanes; lane++) {
        if (w.taken().get(lane)) {
          together[lane] = w.start() + lane;
        }
      }
    }
    var expected = IntStream.range(0, lanes).mapToObj(k -> stride * k).toList();
    assertEquals(expected, moved(together, moves.order(windows)));
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2", "2, 3", "2, 4", "4, 2", "4, 3", "4, 4", "8, 2", "8, 3", "8, 4", "16, 2", "16, 3",
    "16, 4"
  })
  void rowsArePutTogether(int lanes, int stride) {
    var moves = new StridedLanes(lanes, stride);
    for (int part = 0; part < stride; part++) {
      var together = new int[lanes];
      for (int k = 0; k < stride; k++) {
        int component = k;
        var own = IntStream.range(0, lanes).map(row -> stride * row + component).toArray();
        var spread = moved(own, moves.spread(k));
        for (int lane = 0; lane < lanes; lane++) {
          if (k == 0 || moves.taken(part, k).get(lane)) {
            together[lane] = spread.get(lane);
          }
        }
      }
      int first = part * lanes;
      var expected = IntStream.range(first, first + lanes).boxed().toList();
      assertEquals(expected, moved(together, moves.settled(part)));
    }
  }

  private static List<Integer> moved(int[] vector, List<Integer> from) {
    return from.stream().map(lane -> vector[lane]).toList();
  }
}
