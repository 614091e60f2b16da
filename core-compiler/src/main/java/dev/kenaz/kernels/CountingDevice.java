package dev.kenaz.kernels;

import dev.kenaz.loopir.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts what the host asks of a device, without memory and without running anything. What is read
 * from it is zero, so that a program whose host code decides by what it has computed may take
 * another path than on a real device.
 */
public final class CountingDevice implements Device {
  /** As much as a GPU of 2026 has at least. */
  private static final long MEMORY = 16L << 30;

  private final ResidentArrays residents = new ResidentArrays(this);
  private final Map<Long, Long> blocks = new HashMap<>();
  private final Map<String, Integer> launches = new LinkedHashMap<>();
  private final Map<String, Integer> blockThreads = new LinkedHashMap<>();
  private final long memory;
  private long next = 1L << 32;
  private long mostThreads;
  private int waits;
  private int copies;
  private long in;
  private long out;
  private long copied;
  private long live;
  private long peak;

  /**
   * What has been asked for since the last {@link #reset}.
   *
   * @param launches of each kernel, in the order of first launches
   * @param waits how often the host had to wait for the device
   * @param copies how many copies were made on the device, without a kernel
   * @param in how many bytes were copied to the device
   * @param out how many bytes were copied from it
   * @param copied how many bytes were copied on it
   * @param peak the most bytes that were in use at once
   */
  public record Asked(
      Map<String, Integer> launches,
      int waits,
      int copies,
      long in,
      long out,
      long copied,
      long peak) {
    /** Returns the launches of all kernels. */
    public int total() {
      return launches.values().stream().mapToInt(n -> n).sum();
    }
  }

  public CountingDevice() {
    this(MEMORY);
  }

  /**
   * @param memory how many bytes it says it has
   */
  public CountingDevice(long memory) {
    this.memory = memory;
  }

  public Asked asked() {
    return new Asked(new LinkedHashMap<>(launches), waits, copies, in, out, copied, peak);
  }

  /** Returns the number of threads of the largest launch. */
  public long mostThreads() {
    return mostThreads;
  }

  /** Returns how many threads a block of each kernel had, in its last launch. */
  public Map<String, Integer> blockThreads() {
    return new LinkedHashMap<>(blockThreads);
  }

  /** Counts from zero again, except memory in use. */
  public void reset() {
    launches.clear();
    blockThreads.clear();
    mostThreads = 0;
    waits = 0;
    copies = 0;
    in = 0;
    out = 0;
    copied = 0;
    peak = live;
  }

  @Override
  public ResidentArrays residents() {
    return residents;
  }

  @Override
  public long memory() {
    return memory;
  }

  @Override
  public boolean remembers() {
    return false;
  }

  @Override
  public long allocate(long bytes) {
    long address = next;
    next += Math.max(256, (bytes + 255) / 256 * 256);
    blocks.put(address, bytes);
    live += bytes;
    peak = Math.max(peak, live);
    return address;
  }

  @Override
  public void free(long address) {
    live -= blocks.remove(address);
  }

  @Override
  public void copyIn(long to, MemorySegment from) {
    in += from.byteSize();
  }

  @Override
  public void copyOut(MemorySegment to, long from) {
    waits++;
    out += to.byteSize();
    to.fill((byte) 0);
  }

  @Override
  public void copyOut(MemorySegment to, long from, MemorySegment to2, long from2) {
    copyOut(to, from);
    copyOut(to2, from2);
    waits--;
  }

  @Override
  public void copy(long to, long from, long bytes) {
    copies++;
    copied += bytes;
  }

  @Override
  public void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments) {
    launches.merge(kernel.name(), 1, Integer::sum);
    blockThreads.put(kernel.name(), threads);
    mostThreads = Math.max(mostThreads, blocks * threads);
  }

  @Override
  public void close() {
    residents.close();
  }
}
