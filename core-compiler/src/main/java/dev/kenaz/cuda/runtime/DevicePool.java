package dev.kenaz.cuda.runtime;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Sizes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hands out device memory in blocks. A block's size is one of a few classes, four between a power
 * of two and the next. Freed blocks are kept for reuse, as the driver's own allocation waits for
 * the device; when memory runs out, they are given back to the driver and the allocation is tried
 * again. This class is not thread-safe.
 *
 * <p>A block may be handed out again while kernels that used it still run: all work is on one
 * stream, so what writes to it next comes after them.
 */
final class DevicePool {
  /** Where the pool gets its blocks from. */
  interface Source {
    /** Returns an address; 0 if there is not enough memory. */
    long allocate(long bytes);

    void release(long address);

    /**
     * Returns two numbers of bytes for messages: those that are free, and those that the device
     * has.
     */
    long[] freeAndTotal();
  }

  private static final long UNIT = 256;

  private final Source source;
  private final Map<Long, Block> live = new HashMap<>();
  private final TreeMap<Long, Deque<Long>> cached = new TreeMap<>();
  private long liveBytes;
  private long cachedBytes;
  private long peak;

  private record Block(long size) {}

  DevicePool(Source source) {
    this.source = source;
  }

  /** The size of the block for so many bytes: 256 times 4, 5, 6 or 7 times a power of two. */
  static long sizeClass(long bytes) {
    long units = Math.max(4, (bytes + UNIT - 1) / UNIT);
    long quarter = Long.highestOneBit(units) / 4;
    return (units + quarter - 1) / quarter * quarter * UNIT;
  }

  /**
   * Returns a block of at least so many bytes, aligned to 256.
   *
   * @throws UserError (K5006) if there is no memory
   */
  long allocate(long bytes) {
    if (bytes < 0 || bytes > 1L << 46) {
      throw outOfMemory(bytes);
    }
    long size = sizeClass(bytes);
    var free = cached.get(size);
    long address = 0;
    if (free != null && !free.isEmpty()) {
      address = free.pop();
      cachedBytes -= size;
    } else {
      address = source.allocate(size);
      if (address == 0) {
        trim();
        address = source.allocate(size);
      }
      if (address == 0 && bytes < size) { // The size's class may waste the room that was missing.
        size = Math.max(UNIT, (bytes + UNIT - 1) / UNIT * UNIT);
        address = source.allocate(size);
      }
    }
    if (address == 0) {
      throw outOfMemory(bytes);
    }
    live.put(address, new Block(size));
    liveBytes += size;
    peak = Math.max(peak, liveBytes);
    return address;
  }

  /** Gives a block back to the pool; the address 0 is ignored. */
  void free(long address) {
    if (address == 0) {
      return;
    }
    var block = live.remove(address);
    if (block == null) {
      throw new CompilerBug("cuda", "free of what is no block: " + Long.toHexString(address));
    }
    liveBytes -= block.size();
    cachedBytes += block.size();
    cached.computeIfAbsent(block.size(), _ -> new ArrayDeque<>()).push(address);
  }

  /** Gives all unused blocks back to the driver. */
  void trim() {
    cached.values().forEach(blocks -> blocks.forEach(source::release));
    cached.clear();
    cachedBytes = 0;
  }

  /** Gives all blocks back to the driver, those in use too. */
  void close() {
    trim();
    live.keySet().forEach(source::release);
    live.clear();
    liveBytes = 0;
  }

  /** Returns how many bytes are in blocks that are in use. */
  long live() {
    return liveBytes;
  }

  /** Returns how many bytes are in blocks that are kept for reuse. */
  long cached() {
    return cachedBytes;
  }

  /** Returns how many bytes were in use at most. */
  long peak() {
    return peak;
  }

  private UserError outOfMemory(long bytes) {
    var memory = source.freeAndTotal();
    return Sizes.outOfMemory(
        bytes,
        () ->
            new UserError(
                K5006,
                "out of device memory: %s for an array; the program holds %s,"
                    .concat(" and of the device's %s are %s free")
                    .formatted(text(bytes), text(liveBytes), text(memory[1]), text(memory[0])),
                "use smaller inputs, or a device with more memory; kenaz gpu lists them"));
  }

  /** Writes a number of bytes with a unit, for messages. */
  static String text(long bytes) {
    if (bytes < 10_000) {
      return bytes + " bytes";
    }
    double b = bytes;
    for (var unit : new String[] {"KiB", "MiB", "GiB"}) {
      b /= 1024;
      if (b < 10_000 && (b < 1000 || unit.equals("GiB"))) {
        return String.format(java.util.Locale.ROOT, b < 100 ? "%.1f %s" : "%.0f %s", b, unit);
      }
    }
    return String.format(java.util.Locale.ROOT, "%.1f TiB", b / 1024);
  }
}
