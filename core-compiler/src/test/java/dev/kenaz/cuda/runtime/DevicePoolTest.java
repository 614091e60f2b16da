package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5006;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.testing.Seeds;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class DevicePoolTest {
  /** A device of so many bytes that counts what is asked of it. */
  private static final class Device implements DevicePool.Source {
    private final long size;
    private final Map<Long, Long> blocks = new HashMap<>();
    private long next = 256;
    private int allocations;

    Device(long size) {
      this.size = size;
    }

    long used() {
      return blocks.values().stream().mapToLong(b -> b).sum();
    }

    @Override
    public long allocate(long bytes) {
      if (used() + bytes > size) {
        return 0;
      }
      allocations++;
      blocks.put(next, bytes);
      next += bytes;
      return next - bytes;
    }

    @Override
    public void release(long address) {
      assertTrue(blocks.remove(address) != null);
    }

    @Override
    public long[] freeAndTotal() {
      return new long[] {size - used(), size};
    }
  }

  /** Around each power of two, and at sizes of each magnitude. */
  @Test
  void sizeClassesFitAndWasteAtMostAQuarter() {
    for (int bits = 0; bits <= 45; bits++) {
      for (int by = -2; by <= 2; by++) {
        checkSizeClass(Math.max(0, (1L << bits) + by));
      }
    }
    Seeds.check(
        1000,
        seed -> {
          var random = new SplittableRandom(seed);
          checkSizeClass(random.nextLong(1L << random.nextInt(46)));
        });
  }

  private static void checkSizeClass(long bytes) {
    long size = DevicePool.sizeClass(bytes);
    assertTrue(size >= bytes && size % 256 == 0);
    assertTrue(size <= Math.max(1024, bytes + bytes / 4 + 256), bytes + " in " + size);
    assertEquals(size, DevicePool.sizeClass(size));
  }

  @Test
  void freedBlocksAreReused() {
    var device = new Device(1 << 20);
    var pool = new DevicePool(device);
    long a = pool.allocate(5000);
    pool.free(a);
    assertEquals(a, pool.allocate(4900));
    assertEquals(1, device.allocations);
    pool.free(0); // nothing
    assertEquals(0, pool.cached());
  }

  @Test
  void unusedBlocksAreGivenBackWhenMemoryRunsOut() {
    var device = new Device(100_000);
    var pool = new DevicePool(device);
    pool.free(pool.allocate(60_000));
    long kept = pool.allocate(10_000);
    long large = pool.allocate(80_000); // only without the first one
    assertTrue(large != 0 && kept != 0);
    assertEquals(0, pool.cached());
    assertEquals(device.used(), pool.live());
  }

  @Test
  void lastBytesAreUsedWithoutTheRoomOfTheClass() {
    var pool = new DevicePool(new Device(9 * 4096 + 256));
    assertTrue(pool.allocate(9 * 4096 + 1) != 0); // its class would be 40,960
  }

  @Test
  void outOfMemoryTellsSizes() {
    var pool = new DevicePool(new Device(1 << 30));
    pool.allocate(600 << 20);
    var e = assertThrows(UserError.class, () -> pool.allocate(700L << 20));
    var fault = e.diagnostics().getFirst();
    assertEquals(K5006, fault.code());
    assertTrue(fault.message().contains("700 MiB for an array"), fault.message());
    assertTrue(fault.message().contains("holds 640 MiB"), fault.message());
    assertTrue(fault.message().contains("1.0 GiB are 384 MiB free"), fault.message());
    assertThrows(UserError.class, () -> pool.allocate(Long.MAX_VALUE));
    pool.allocate(1 << 20); // goes on
  }

  @Test
  void foreignAddressesAreABug() {
    var pool = new DevicePool(new Device(1 << 20));
    assertThrows(CompilerBug.class, () -> pool.free(4711));
    long a = pool.allocate(1);
    pool.free(a);
    assertThrows(CompilerBug.class, () -> pool.free(a));
  }

  @Test
  void closingGivesEverythingBack() {
    var device = new Device(1 << 20);
    var pool = new DevicePool(device);
    pool.free(pool.allocate(5000));
    pool.allocate(7000);
    pool.close();
    assertEquals(0, device.used());
  }
}
