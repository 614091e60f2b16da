package dev.kenaz.simulate;

import dev.kenaz.kernels.Eval;
import dev.kenaz.simulate.SharedMemoryRaces.Access;
import dev.kenaz.value.Prim;
import java.util.ArrayDeque;

/**
 * This is the state of 32 threads, of which those that are {@link #active} run the same
 * instruction. A mask has a bit for each lane.
 */
final class Warp implements Eval.Lanes {
  static final int LANES = 32;

  final Block block;

  /** The number of the block's first thread in this warp. */
  final int firstThread;

  /** The mask of the lanes that exist: the last warp of a block may have fewer than 32. */
  final int lanes;

  final long[] registers;
  final ArrayDeque<Frame> frames = new ArrayDeque<>();
  int active;

  /**
   * The mask of the lanes that have left the innermost attempt, or the kernel, because of a
   * failure.
   */
  int gone;

  /** The place of the next instruction. */
  int at;

  /** Whether the warp waits at a barrier. */
  boolean waiting;

  boolean finished;

  /** Whether the last step changed nothing and has to be tried again. */
  boolean stuck;

  /** The masks that a construct restores at its end. */
  static final class Frame {
    final int active;
    final int gone;

    /** The mask of the lanes that have yet to take the other branch. */
    int rest;

    Frame(int active, int gone, int rest) {
      this.active = active;
      this.gone = gone;
      this.rest = rest;
    }
  }

  Warp(Block block, int firstThread, int count, int registers) {
    this.block = block;
    this.firstThread = firstThread;
    this.lanes = count == LANES ? -1 : (1 << count) - 1;
    this.registers = new long[registers * LANES];
    this.active = lanes;
  }

  @Override
  public long get(int register, int lane) {
    return registers[register * LANES + lane];
  }

  void set(int register, int lane, long bits) {
    registers[register * LANES + lane] = bits;
  }

  int thread(int lane) {
    return firstThread + lane;
  }

  /** Returns the active lanes that have the condition. */
  int holds(Eval condition) {
    int mask = 0;
    for (int rest = active; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      if (condition.of(this, lane) != 0) {
        mask |= 1 << lane;
      }
    }
    return mask;
  }

  // Masks

  void enter(int rest) {
    frames.push(new Frame(active, gone, rest));
  }

  /** Makes all lanes active that entered the construct, but for those that left by a failure. */
  void leave() {
    active = frames.pop().active & ~gone;
  }

  // Memory

  @Override
  public long load(Prim prim, long address, int lane) {
    return load(lane, prim, address, Access.READ);
  }

  long load(int lane, Prim prim, long address, Access how) {
    int size = prim.byteSize();
    var region = region(address, size);
    int at = (int) SimulatedMemory.offset(address);
    if (region.sharing != null) {
      if (!region.sharing.written(at, size) && !block.grid.failed()) {
        throw new Finding("a read of " + region.what + " at byte " + at + ", never written");
      }
      race(region, how, at, size, lane, false);
    } else if (region.ofDevice()) {
      order(region, how, at, size, lane, false);
      block.grid.delays.settle(block, address);
    }
    return prim.normalise(region.get(at, size));
  }

  void store(int lane, Prim prim, long address, long bits, Access how) {
    int size = prim.byteSize();
    var region = region(address, size);
    int at = (int) SimulatedMemory.offset(address);
    if (region.sharing != null) {
      boolean changes =
          !region.sharing.written(at, size)
              || prim.normalise(region.get(at, size)) != prim.normalise(bits);
      race(region, how, at, size, lane, changes);
    } else if (region.ofDevice()) {
      boolean changes = prim.normalise(region.get(at, size)) != prim.normalise(bits);
      order(region, how, at, size, lane, changes);
      block.grid.delays.settle(block, address);
    }
    region.set(at, size, bits);
    block.grid.progress();
  }

  /** Reads an element that other blocks may write meanwhile. */
  long look(int lane, Prim prim, long address) {
    var region = region(address, prim.byteSize());
    long found = load(lane, prim, address, Access.ATOMIC_READ);
    return region.ofDevice() ? block.grid.delays.read(this, region, prim, address) : found;
  }

  /** Writes an element that other blocks may read meanwhile. */
  void publish(int lane, Prim prim, long address, long bits) {
    int size = prim.byteSize();
    var region = region(address, size);
    if (region.ofDevice()) {
      var at = (int) SimulatedMemory.offset(address);
      order(region, Access.ATOMIC_WRITE, at, size, lane, true);
      block.grid.delays.write(this, lane, region, size, address, bits);
    } else {
      store(lane, prim, address, bits, Access.ATOMIC_WRITE);
    }
  }

  private void order(Region region, Access how, int at, int size, int lane, boolean changes) {
    var watch = region.watch(how.reads() ? 0 : size);
    if (watch != null) {
      var other = watch.access(how, at, size, this, lane, changes);
      if (other != null && !block.grid.failed()) {
        throw new Finding(
            "a race at byte %d of %s: thread %d uses what was %s in the same launch, with no order"
                .formatted(at, region.what, thread(lane), other));
      }
    }
  }

  private Region region(long address, int size) {
    var region = block.grid.memory.region(address, size);
    if (SimulatedMemory.offset(address) % size != 0) {
      throw new Finding(
          "a misaligned access at byte " + SimulatedMemory.offset(address) + " of " + region.what);
    }
    return region;
  }

  private void race(Region region, Access how, int at, int size, int lane, boolean changes) {
    int other = region.sharing.access(how, at, size, thread(lane), block.epoch, changes);
    if (other != -1 && !block.grid.failed()) {
      throw new Finding(
          "a race at byte %d of %s: thread %d and %s use it between the same barriers"
              .formatted(
                  at, region.what, thread(lane), other < 0 ? "several others" : "thread " + other));
    }
  }
}
