package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K5006;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated
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
  void largeBlocksBeginAtDifferentLinesOfAPage() {
    try (var arena = Arena.ofConfined()) {
      var blocks = Stream.generate(() -> Memory.allocate(arena, 8 << 20)).limit(64).toList();
      assertEquals(64, blocks.stream().map(b -> b.address() % 4096 / 64).distinct().count());
      for (var b : blocks) {
        assertTrue(b.address() % (2 << 20) < 4096, "in the first page of a huge one");
        b.set(ValueLayout.JAVA_BYTE, b.byteSize() - 1, (byte) 1);
      }
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
    long each = 256L << 20;
    long before = NativeLimit.atMost(NativeLimit.used() + 4 * each);
    try {
      for (int k = 0; k < 40; k++) {
        // Untouched pages cost nothing; only the accounting is exercised.
        assertEquals(each, ArrayValue.allocate(Prim.U8, each).byteSize());
      }
    } finally {
      NativeLimit.atMost(before);
    }
  }

  @Test
  void whatIsKeptFindsALimit() {
    long each = 64L << 20;
    var kept = new ArrayList<MemorySegment>();
    long limit = NativeLimit.used() + 4 * each; // Some of what is in use may be given back.
    long before = NativeLimit.atMost(limit);
    try {
      var e =
          assertThrows(
              UserError.class,
              () -> {
                for (long k = 0; k <= limit / each; k++) {
                  kept.add(ArrayValue.allocate(Prim.U8, each));
                }
              });
      assertEquals(K5006, e.diagnostics().getFirst().code());
      assertTrue(e.diagnostics().getFirst().hints().toString().contains("kenaz.memory"));
    } finally {
      NativeLimit.atMost(before);
    }
    assertTrue(kept.size() >= 2 && kept.size() * each <= limit, kept.size() + " blocks");
  }

  @Test
  void limitsAreSizesOrShares() {
    assertEquals(20L << 30, NativeLimit.parse("20g"));
    assertEquals(800L << 20, NativeLimit.parse("800 MiB"));
    assertEquals(4096, NativeLimit.parse("4096"));
    assertEquals(NativeLimit.ofMachine() / 100 * 60, NativeLimit.parse("60%"));
    for (var wrong : List.of("", "much", "-1g", "1.5g", "0%", "5x")) {
      assertThrows(UserError.class, () -> NativeLimit.parse(wrong), wrong);
    }
  }

  @Test
  void impossibleSizesAreRefused() {
    assertThrows(UserError.class, () -> ArrayValue.allocate(Prim.U8, 1L << 46));
  }
}
