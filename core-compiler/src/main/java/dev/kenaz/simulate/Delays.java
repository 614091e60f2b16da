package dev.kenaz.simulate;

import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Delays what threads write for other blocks to see. As on a GPU, and more often than there, a
 * write reaches memory late, the writes of one thread arrive in any order, and a reader may still
 * find what was there before. Only fences of both the writer and the reader ensure an order.
 */
final class Delays {
  /** How many turns warps have between two arrivals, on average. */
  private static final int LATE = 16;

  private final Grid grid;
  private final Random random;
  private final List<Write> pending = new ArrayList<>();
  private final Map<Long, Old> before = new HashMap<>();

  private record Write(
      Block block, int thread, int epoch, Region region, int size, long address, long bits) {}

  /**
   * The value that a late write has replaced.
   *
   * @param bits the bits that the last write replaced
   * @param time the time of the write's arrival
   */
  private record Old(long bits, int time) {}

  Delays(Grid grid, Random random) {
    this.grid = grid;
    this.random = random;
  }

  void write(Warp w, int lane, Region region, int size, long address, long bits) {
    pending.add(new Write(w.block, w.thread(lane), w.block.epoch, region, size, address, bits));
    grid.progress();
  }

  /**
   * Returns what a thread finds at an address. The writes of its own block have arrived; those of
   * other blocks may not have.
   */
  long read(Warp w, Region region, Prim prim, long address) {
    settle(w.block, address);
    var old = before.get(address);
    if (old != null && old.time > w.block.fenced && random.nextBoolean()) {
      var seen = w.block.seen.get(address);
      if (seen == null || seen < old.time) {
        return prim.normalise(old.bits);
      }
    }
    if (old != null) {
      w.block.seen.put(address, old.time);
    }
    return prim.normalise(region.get((int) SimulatedMemory.offset(address), prim.byteSize()));
  }

  /** Lets a block's writes to a place arrive, before the block does anything else there. */
  void settle(Block block, long address) {
    if (!pending.isEmpty()) {
      arrive(x -> x.block == block && x.address == address);
    }
  }

  /**
   * Lets arrive what these lanes have written, and what the block wrote before its last barrier.
   */
  void fence(Warp w, int lanes) {
    if (!pending.isEmpty()) {
      arrive(
          x ->
              x.block == w.block
                  && (x.epoch < w.block.epoch
                      || x.thread >= w.firstThread
                          && x.thread < w.firstThread + Warp.LANES
                          && (lanes >>> x.thread - w.firstThread & 1) != 0));
    }
  }

  /** Lets a write arrive now and then; more often one of those that were written last. */
  void pass() {
    if (!pending.isEmpty() && random.nextInt(LATE) == 0) {
      int n = pending.size();
      var one = pending.get(Math.max(random.nextInt(n), random.nextInt(n)));
      settle(one.block, one.address);
    }
  }

  void end() {
    arrive(_ -> true);
  }

  private void arrive(Predicate<Write> which) {
    var all = new ArrayList<>(pending);
    pending.removeIf(which);
    for (var x : all) {
      if (which.test(x)) {
        int at = (int) SimulatedMemory.offset(x.address);
        var old = new Old(x.region.get(at, x.size), grid.tick());
        before.put(x.address, old);
        x.block.seen.put(x.address, old.time);
        x.region.set(at, x.size, x.bits);
        grid.progress();
      }
    }
  }
}
