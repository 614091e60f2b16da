package dev.kenaz.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class StaggerTest {
  @Test
  void blocksInARowHaveLinesOfTheirOwn() {
    var at = LongStream.generate(Stagger::next).limit(64).toArray();
    assertEquals(64, LongStream.of(at).distinct().count());
    assertTrue(LongStream.of(at).allMatch(a -> a % 64 == 0 && a >= 0 && a < Stagger.PAGE));
  }

  @Test
  void fewBlocksAreNotNeighbours() {
    var at = LongStream.generate(Stagger::next).limit(25).toArray();
    for (int j = 0; j < at.length; j++) {
      for (int k = 0; k < j; k++) {
        long apart = Math.floorMod(at[j] - at[k], Stagger.PAGE);
        assertTrue(apart > 64 && apart < Stagger.PAGE - 64, j + " and " + k);
      }
    }
  }
}
