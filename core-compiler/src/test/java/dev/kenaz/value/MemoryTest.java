package dev.kenaz.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 4095, (4 << 20) - 1, 4 << 20, (16 << 20) + 3})
  void memoryIsZeroedAlignedAndWritable(long bytes) {
    try (var arena = Arena.ofConfined()) {
      var m = Memory.allocate(arena, bytes);
      assertEquals(bytes, m.byteSize());
      assertEquals(0, m.address() % 64);
      for (long i = 0; i < bytes; i += 1023) {
        assertEquals(0, m.get(ValueLayout.JAVA_BYTE, i));
      }
      m.fill((byte) 1);
    }
  }

  @Test
  void aClosedArenaGivesItsMemoryBack() {
    long before = Memory.reserved();
    try (var arena = Arena.ofShared()) {
      Memory.allocate(arena, 64 << 20);
      assertTrue(Memory.reserved() >= 64 << 20);
    }
    assertTrue(Memory.reserved() <= before);
  }

  @Test
  void arraysThatNobodyKeepsMakeRoomForOthers() {
    long total = 4 * Runtime.getRuntime().maxMemory();
    long each = 256L << 20;
    for (long sum = 0; sum < total; sum += each) {
      // Untouched pages cost nothing; only the accounting is exercised.
      assertEquals(each, ArrayValue.allocate(Prim.U8, each).byteSize());
    }
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThrows(OutOfMemoryError.class, () -> ArrayValue.allocate(Prim.U8, 1L << 46));
  }
}
