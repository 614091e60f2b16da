package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kenaz.value.NativeLimit;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated
class NativeMemoryTest {
  private static final int BLOCKS = 25;

  private static long[] blocks(long bytes) {
    return LongStream.generate(() -> NativeMemory.allocate(bytes)).limit(BLOCKS).toArray();
  }

  private static void free(long[] blocks, long bytes) {
    LongStream.of(blocks).forEach(b -> NativeMemory.free(b, NativeMemory.capacity(bytes)));
  }

  /** Blocks of slabs, the largest of them, and blocks of their own. */
  @ParameterizedTest
  @ValueSource(longs = {1 << 17, 5 << 15, 1 << 20, 7 << 19, 1 << 22, 5 << 20})
  void largeBlocksBeginAtDifferentLinesOfAPage(long bytes) {
    NativeMemory.trim();
    var blocks = blocks(bytes);
    // Blocks of slabs may be those of other tests, in any order: most are at different lines.
    long lines = LongStream.of(blocks).map(b -> b % 4096 / 64).distinct().count();
    assertTrue(lines >= (bytes < 1 << 22 ? 12 : BLOCKS), lines + " lines");
    free(blocks, bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 64, 5000, 1 << 16, 1 << 17, 7 << 19, 1 << 22, (5 << 20) + 1})
  void blocksAreAlignedAndApart(long bytes) {
    var blocks = blocks(bytes);
    var memory = NativeMemory.ALL;
    for (long b : blocks) {
      assertEquals(0, b % 64);
      memory.set(ValueLayout.JAVA_BYTE, b, (byte) b);
      memory.set(ValueLayout.JAVA_BYTE, b + bytes - 1, (byte) 1);
    }
    Arrays.sort(blocks);
    for (int k = 1; k < BLOCKS; k++) {
      assertTrue(blocks[k] - blocks[k - 1] >= NativeMemory.capacity(bytes));
    }
    free(blocks, bytes);
  }

  @ParameterizedTest
  @ValueSource(longs = {5000, 1 << 17, 1 << 20, 1 << 22, (5 << 20) + 1})
  void blocksThatAreFreedNoLongerCount(long bytes) {
    long size = BLOCKS * NativeMemory.capacity(bytes);
    assertReturns(
        NativeMemory::live,
        () -> {
          long live = NativeMemory.live();
          var blocks = blocks(bytes);
          long grown = NativeMemory.live() - live;
          free(blocks, bytes);
          return grown == size;
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {5000, 1 << 22, (5 << 20) + 1})
  void theSystemGetsBackWhatItGave(long bytes) {
    long size = BLOCKS * NativeMemory.capacity(bytes);
    NativeMemory.trim();
    assertReturns(
        NativeLimit::used,
        () -> {
          long used = NativeLimit.used();
          var blocks = blocks(bytes);
          long grown = NativeLimit.used() - used;
          free(blocks, bytes);
          NativeMemory.trim();
          return grown >= size && grown <= size + BLOCKS * 4096;
        });
  }

  /**
   * Checks that a number is the same after an action as before. The garbage collector may free
   * results of other tests meanwhile, so the action is tried again.
   */
  private static void assertReturns(LongSupplier number, BooleanSupplier action) {
    var seen = new ArrayList<Long>();
    for (int tries = 0; tries < 5; tries++) {
      long before = number.getAsLong();
      if (action.getAsBoolean() && number.getAsLong() == before) {
        return;
      }
      seen.add(number.getAsLong() - before);
    }
    fail("more bytes afterwards: " + seen);
  }
}
