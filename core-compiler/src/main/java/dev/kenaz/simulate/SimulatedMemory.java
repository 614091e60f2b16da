package dev.kenaz.simulate;

import static dev.kenaz.error.ErrorCode.K5006;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Sizes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * This is the memory of a device. An address holds the number of a region and an offset in it, so
 * that no arithmetic on addresses ends in another region unnoticed.
 */
final class SimulatedMemory {
  private static final int OFFSET_BITS = 40;
  private static final long OFFSET = (1L << OFFSET_BITS) - 1;

  /**
   * Regions start in the middle of their range of offsets, so that the addresses before them belong
   * to no region.
   */
  private static final long START = 1L << (OFFSET_BITS - 1);

  /** How many bytes one region may have. */
  private static final long MOST = 1L << 30;

  private final List<Region> regions = new ArrayList<>();
  private final ArrayDeque<Integer> unused = new ArrayDeque<>();
  private final long most;
  private long live;
  private int time;

  /**
   * @param most how many bytes there are in all
   */
  SimulatedMemory(long most) {
    this.most = most;
    regions.add(null); // No region has the number 0, so that no address is 0.
  }

  /** Returns how many bytes there are in all. */
  long most() {
    return most;
  }

  int time() {
    return time;
  }

  /** Returns a new time, which is later than all before. */
  int tick() {
    return ++time;
  }

  /** Whether there is room for so many bytes. */
  boolean has(long bytes) {
    return bytes >= 0 && bytes <= MOST && live + bytes <= most;
  }

  /**
   * Allocates a region, and returns its address.
   *
   * @throws UserError (K5006) if the region is too large
   */
  long allocate(String what, long bytes, Region.Kind kind) {
    if (!has(bytes)) {
      throw Sizes.outOfMemory(
          bytes,
          () ->
              new UserError(
                  K5006,
                  "out of simulated memory: " + bytes + " bytes for an array, " + live + " in use",
                  "the simulator is for small inputs"));
    }
    live += bytes;
    var region = new Region(what, (int) bytes, kind);
    // The number is reused late, so that an access to freed memory is noticed.
    if (unused.size() > 1000) {
      int number = unused.pop();
      regions.set(number, region);
      return ((long) number << OFFSET_BITS) + START;
    }
    regions.add(region);
    return ((long) (regions.size() - 1) << OFFSET_BITS) + START;
  }

  void free(long address) {
    int number = (int) (address >>> OFFSET_BITS);
    if (number >= regions.size() || regions.get(number) == null || offset(address) != 0) {
      throw new CompilerBug("simulate", "free of what is no array: " + Long.toHexString(address));
    }
    live -= regions.get(number).data.length;
    regions.set(number, null);
    unused.add(number);
  }

  /** Returns the region that has so many bytes from the address on. */
  Region region(long address, long bytes) {
    int number = (int) (address >>> OFFSET_BITS);
    var region = number < regions.size() ? regions.get(number) : null;
    if (region == null) {
      throw new Finding(
          "an access at " + Long.toHexString(address) + ", where there is no array (any more)");
    }
    long at = offset(address);
    if (at < 0 || at + bytes > region.data.length) {
      throw new Finding(
          "an access of %d bytes at byte %d of %s, which has %d"
              .formatted(bytes, at, region.what, region.data.length));
    }
    return region;
  }

  static long offset(long address) {
    return (address & OFFSET) - START;
  }

  long live() {
    return live;
  }
}
