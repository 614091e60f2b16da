package dev.kenaz.simulate;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.kernels.Device;
import dev.kenaz.kernels.ResidentArrays;
import dev.kenaz.loopir.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Random;

/**
 * Runs kernels as a GPU does, and watches what they do. Warps run in lockstep under masks, in an
 * order that a seed decides. An access out of bounds, a read of shared memory that was never
 * written, a race between two barriers, and a barrier or a shuffle that some threads don't reach
 * are a {@link CompilerBug} that names kernel, block and statement.
 */
public final class SimulatedDevice implements Device {
  private static final int MOST_THREADS = 1024;
  private static final long MOST_STATIC_SHARED = 48 << 10;
  private static final long MOST_SHARED = 227 << 10;

  private static final long MEMORY = 2L << 30;

  private final SimulatedMemory memory;
  private final ResidentArrays residents = new ResidentArrays(this);
  private final Map<Kernel, KernelCode> kernels = new IdentityHashMap<>();
  private final Random random;

  /**
   * Makes a device with the seed that all ordinary runs have, or the seed in the system property
   * {@code kenaz.seed}.
   */
  public SimulatedDevice() {
    this(Long.getLong("kenaz.seed", 1));
  }

  /**
   * @param seed the seed, which decides the order of blocks and warps
   */
  public SimulatedDevice(long seed) {
    this(seed, MEMORY);
  }

  /**
   * @param memory how many bytes the device has
   */
  public SimulatedDevice(long seed, long memory) {
    this.memory = new SimulatedMemory(memory);
    random = new Random(seed);
  }

  @Override
  public ResidentArrays residents() {
    return residents;
  }

  @Override
  public long memory() {
    return memory.most();
  }

  @Override
  public long allocate(long bytes) {
    return memory.allocate("an array", bytes, Region.Kind.DEVICE);
  }

  @Override
  public void free(long address) {
    memory.free(address);
  }

  @Override
  public void copyIn(long to, MemorySegment from) {
    long n = from.byteSize();
    if (n > 0) {
      segment(to, n).copyFrom(from);
    }
  }

  @Override
  public void copyOut(MemorySegment to, long from) {
    long n = to.byteSize();
    if (n > 0) {
      to.copyFrom(segment(from, n));
    }
  }

  @Override
  public void copy(long to, long from, long bytes) {
    if (bytes > 0) {
      segment(to, bytes).copyFrom(segment(from, bytes));
    }
  }

  private MemorySegment segment(long address, long bytes) {
    try {
      var region = memory.region(address, bytes);
      return MemorySegment.ofArray(region.data).asSlice(SimulatedMemory.offset(address), bytes);
    } catch (Finding e) {
      throw new CompilerBug("simulate", "a copy: " + e.getMessage());
    }
  }

  @Override
  public void launch(
      Kernel kernel, long blocks, int threads, long sharedBytes, long faults, long[] arguments) {
    if (blocks < 1 || blocks > Integer.MAX_VALUE || threads < 1 || threads > MOST_THREADS) {
      throw new CompilerBug(
          "simulate", kernel.name() + ": a launch of " + blocks + " × " + threads + " threads");
    }
    long fixed = kernel.shared().stream().mapToLong(s -> s.count() * s.prim().byteSize()).sum();
    if (fixed > MOST_STATIC_SHARED || fixed + sharedBytes > MOST_SHARED) {
      throw new CompilerBug(
          "simulate",
          kernel.name() + ": " + fixed + " + " + sharedBytes + " bytes of shared memory");
    }
    var code = kernels.computeIfAbsent(kernel, KernelCode::new);
    new Grid(memory, kernel, code, threads, sharedBytes, faults, arguments, random).run(blocks);
  }

  /** Returns how many bytes are allocated. */
  public long live() {
    return memory.live();
  }

  @Override
  public void close() {
    residents.close();
    kernels.clear();
  }
}
