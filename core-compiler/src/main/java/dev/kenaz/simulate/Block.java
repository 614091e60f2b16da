package dev.kenaz.simulate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** This is a block: threads that share memory and barriers. */
final class Block {
  final Grid grid;
  final long index;
  final List<Warp> warps = new ArrayList<>();

  /** The regions that are freed when the block ends. */
  final List<Long> memory = new ArrayList<>();

  /** The number of barriers that the block has passed, plus 1. */
  int epoch = 1;

  /** The time at which a thread of the block last made a fence; -1 for never. */
  int fenced = -1;

  /**
   * An address at which a write arrived late is mapped to the time of the newest value that the
   * block has seen.
   */
  final Map<Long, Integer> seen = new HashMap<>();

  Block(Grid grid, long index) {
    this.grid = grid;
    this.index = index;
  }

  boolean finished() {
    return warps.stream().allMatch(w -> w.finished);
  }

  /** Lets all threads go on if all have come to the barrier. */
  void meet() {
    if (!warps.stream().allMatch(w -> w.finished || w.waiting)) {
      return;
    }
    int at = -1;
    for (var w : warps) {
      if (w.finished) {
        if ((w.lanes & ~w.gone) != 0) {
          throw new Finding("threads have ended without a barrier at which others wait");
        }
      } else if (at >= 0 && at != w.at) {
        throw new Finding("threads of a block wait at different barriers");
      } else {
        at = w.at;
      }
    }
    epoch++;
    warps.forEach(w -> w.waiting = false);
  }

  void release() {
    memory.forEach(grid.memory::free);
    memory.clear();
  }
}
