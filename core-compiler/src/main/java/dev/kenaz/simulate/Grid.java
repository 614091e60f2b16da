package dev.kenaz.simulate;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.kernels.Device;
import dev.kenaz.loopir.Kernel;
import dev.kenaz.loopir.Reg;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Runs one launch. A few blocks are resident at a time, and they begin in any order. One of their
 * warps is chosen at random, and runs for a few instructions. So a thread that waits for others by
 * trying again sees them make progress, although one thread of the machine runs them all; and the
 * same seed gives the same run.
 */
final class Grid {
  private static final int RESIDENT = 4;
  private static final int BURST = 48;

  /**
   * After so many looks at memory without any change of it, threads are taken to wait for each
   * other.
   */
  private static final long PATIENCE = 2_000_000;

  final SimulatedMemory memory;
  private final Kernel kernel;
  private final KernelCode code;
  private final int threads;
  private final long sharedBytes;
  private final long faults;
  private final long[] arguments;
  private final Random random;
  final Delays delays;
  private final List<Block> resident = new ArrayList<>();
  private final Map<Integer, Integer> fences = new HashMap<>();
  private final int start;
  private long idle;

  Grid(
      SimulatedMemory memory,
      Kernel kernel,
      KernelCode code,
      int threads,
      long sharedBytes,
      long faults,
      long[] arguments,
      Random random) {
    this.memory = memory;
    this.kernel = kernel;
    this.code = code;
    this.threads = threads;
    this.sharedBytes = sharedBytes;
    this.faults = faults;
    this.arguments = arguments;
    this.random = random;
    this.start = memory.tick();
    this.delays = new Delays(this, random);
  }

  /**
   * Returns the time at which the launch began. Time counts what makes an order: launches, fences
   * and late writes.
   */
  int start() {
    return start;
  }

  int time() {
    return memory.time();
  }

  int tick() {
    return memory.tick();
  }

  /** Makes a fence for some threads. */
  void fence(Warp w, int lanes) {
    delays.fence(w, lanes);
    w.block.fenced = tick();
    fences.put((int) w.block.index, w.block.fenced);
  }

  /** The time at which a block last made a fence; -1 for never. */
  int fenced(int block) {
    return fences.getOrDefault(block, -1);
  }

  /**
   * Whether the program has failed. Then nothing is expected any more of what kernels leave in
   * memory.
   */
  boolean failed() {
    return memory.region(faults, 8).get((int) SimulatedMemory.offset(faults), 8) != 0;
  }

  /**
   * Allocates memory for a thread's slot. Returns 0 if there is not enough, and then the program
   * has failed.
   */
  long heap(String what, long bytes) {
    if (!memory.has(bytes)) {
      fail(Device.NO_HEAP - 1, new long[0]);
      return 0;
    }
    return memory.allocate(what, bytes, Region.Kind.THREAD);
  }

  /** Notes the first failure. */
  void fail(long site, long[] values) {
    if (!failed()) {
      var region = memory.region(faults, 8);
      int at = (int) SimulatedMemory.offset(faults);
      region.set(at, 8, site + 1);
      for (int i = 0; i < values.length; i++) {
        region.set(at + 8 * (i + 1), 8, values[i]);
      }
    }
    progress();
  }

  /** Notes that something has changed that other threads may wait for. */
  void progress() {
    idle = 0;
  }

  /** Notes that a thread looks whether something has changed. */
  void look() {
    if (++idle > PATIENCE) {
      throw new Finding("threads wait for each other without end");
    }
  }

  void run(long blocks) {
    long[] order = order(blocks);
    long next = 0;
    while (next < blocks || !resident.isEmpty()) {
      while (next < blocks && resident.size() < RESIDENT) {
        long index = order == null ? next : order[(int) next];
        next++;
        if (!failed()) {
          resident.add(start(index, blocks));
        }
      }
      if (!resident.isEmpty()) {
        burst(resident.get(random.nextInt(resident.size())));
        delays.pass();
      }
    }
    delays.end();
  }

  /**
   * Returns the order in which blocks begin, which is random; null if there are very many, which
   * begin in order.
   */
  private long[] order(long blocks) {
    if (blocks > 1 << 20) {
      return null;
    }
    var order = new long[(int) blocks];
    for (int i = 0; i < order.length; i++) {
      order[i] = i;
    }
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      long x = order[i];
      order[i] = order[j];
      order[j] = x;
    }
    return order;
  }

  private Block start(long index, long blocks) {
    var block = new Block(this, index);
    for (int first = 0; first < threads; first += Warp.LANES) {
      int count = Math.min(Warp.LANES, threads - first);
      block.warps.add(new Warp(block, first, count, code.registers()));
    }
    for (int i = 0; i < arguments.length; i++) {
      set(block, kernel.params().get(i).reg(), arguments[i]);
    }
    set(block, kernel.grid().block(), index);
    set(block, kernel.grid().threads(), threads);
    set(block, kernel.grid().blocks(), blocks);
    for (var s : kernel.shared()) {
      long bytes = s.count() == 0 ? sharedBytes : s.count() * s.prim().byteSize();
      long address = memory.allocate("shared array " + s.base().name(), bytes, Region.Kind.BLOCK);
      block.memory.add(address);
      set(block, s.base(), address);
    }
    for (var w : block.warps) {
      for (int lane = 0; lane < Warp.LANES && w.firstThread + lane < threads; lane++) {
        own(w, lane);
      }
    }
    return block;
  }

  /** Allocates the memory that a thread has for itself. */
  private void own(Warp w, int lane) {
    w.set(code.number(kernel.grid().thread()), lane, w.thread(lane));
    for (var l : kernel.locals()) {
      long address =
          memory.allocate("a thread's " + l.base().name(), l.bytes(), Region.Kind.THREAD);
      w.block.memory.add(address);
      w.set(code.number(l.base()), lane, address);
    }
    for (var s : kernel.heap()) {
      w.set(code.number(s.base()), lane, 0);
      w.set(code.number(s.capacity()), lane, -1);
    }
  }

  private void set(Block block, Reg reg, long bits) {
    int number = code.number(reg);
    for (var w : block.warps) {
      for (int lane = 0; lane < Warp.LANES; lane++) {
        w.set(number, lane, bits);
      }
    }
  }

  /** Runs some instructions of one warp of the block. */
  private void burst(Block block) {
    var ready = block.warps.stream().filter(w -> !w.finished && !w.waiting).toList();
    var warp = ready.get(random.nextInt(ready.size()));
    int steps = 1 + random.nextInt(BURST);
    for (int i = 0; i < steps && !warp.finished && !warp.waiting; i++) {
      warp.stuck = false;
      step(warp);
      if (warp.stuck) {
        break;
      }
    }
    if (warp.finished || warp.waiting) {
      met(block, warp);
    }
    if (block.finished()) {
      freeHeap(block);
      block.release();
      resident.remove(block);
    }
  }

  private void met(Block block, Warp warp) {
    progress();
    try {
      if (!block.finished()) {
        block.meet();
      }
    } catch (Finding e) {
      throw bug(warp, e.getMessage());
    }
  }

  private void step(Warp warp) {
    int at = warp.at;
    try {
      code.instruction(at).step(warp);
    } catch (Finding e) {
      throw bug(warp, e.getMessage() + "\n  in " + code.text(at));
    }
    if (warp.at >= code.length()) {
      warp.finished = true;
    }
  }

  private CompilerBug bug(Warp warp, String message) {
    return new CompilerBug(
        "simulate",
        "kernel %s, block %d, threads %d to %d: %s"
            .formatted(
                kernel.name(),
                warp.block.index,
                warp.firstThread,
                Math.min(threads, warp.firstThread + Warp.LANES) - 1,
                message));
  }

  private void freeHeap(Block block) {
    for (var s : kernel.heap()) {
      int base = code.number(s.base());
      for (var w : block.warps) {
        for (int lane = 0; lane < Warp.LANES; lane++) {
          if (w.get(base, lane) != 0) {
            memory.free(w.get(base, lane));
          }
        }
      }
    }
  }
}
