package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContextTest {
  private static Context context(int workers) {
    return new Context(Workers.of(workers), 1 << 17, null, List.of(), List.of(), List.of());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 63, 100, 127, 128, 129, 1000, 4096, 100_003, 1L << 40})
  void chunksAreAllPointsInOrder(long extent) {
    for (long chunks = 1; chunks <= Math.min(extent, 40); chunks++) {
      assertEquals(0, Context.bound(extent, chunks, 0));
      assertEquals(extent, Context.bound(extent, chunks, chunks));
      for (long c = 0; c < chunks; c++) {
        long lo = Context.bound(extent, chunks, c);
        long hi = Context.bound(extent, chunks, c + 1);
        assertTrue(lo < hi, extent + " points, chunk " + c + " of " + chunks);
      }
    }
  }

  @Test
  void onlyTheLastOfLargeChunksHasPointsThatVectorsLeave() {
    for (long c = 0; c < 7; c++) {
      assertEquals(0, Context.bound(1000, 7, c) % Lanes.POINTS);
    }
  }

  @Test
  void smallChunksAreAboutEqual() {
    assertEquals(96, Context.bound(192, 2, 1));
    for (long c = 1; c < 4; c++) {
      assertEquals(75 * c, Context.bound(300, 4, c), 16);
      assertEquals(0, Context.bound(300, 4, c) % 16);
    }
  }

  @Test
  void littleWorkIsDoneByOneThread() {
    assertEquals(1, context(2).plan(1000, 10, Long.MAX_VALUE));
    assertEquals(1, context(2).plan(100, 6000, Long.MAX_VALUE));
    assertTrue(context(2).plan(100_000, 100, Long.MAX_VALUE) > 1);
  }

  @Test
  void aFewPointsWithMuchWorkAreSharedOut() {
    assertEquals(8, context(4).plan(8, 10_000_000, Long.MAX_VALUE));
    assertEquals(3, context(4).plan(8, 10_000_000, 3));
  }
}
