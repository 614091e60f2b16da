package dev.kenaz.simulate;

import dev.kenaz.simulate.SharedMemoryRaces.Access;
import java.util.Arrays;

/**
 * Notes which threads last wrote and read each element of an array in device memory in this launch.
 * If two threads use an element and one of them writes it, something must order the two accesses: a
 * barrier if the threads are of one block, fences of both if not; or both accesses must be
 * indivisible. Two writes are no fault: if a scatter writes a place twice, either value may stay.
 *
 * <p>The notes start with the first write, so that an array that is only read costs nothing. An
 * element is as large as the smallest access so far.
 */
final class Watch {
  /**
   * The size in bytes of the largest array that is watched: the notes take several times as much.
   */
  static final int MOST = 64 << 20;

  private final int bytes;
  private int shift;
  private Notes writes;
  private Notes reads;

  /** For each element it notes when, where and by whom it was accessed. */
  private static final class Notes {
    final int[] time;
    final int[] block;
    final int[] epoch;
    final short[] thread;
    final boolean[] atomic;

    Notes(int n) {
      time = new int[n];
      block = new int[n];
      epoch = new int[n];
      thread = new short[n];
      atomic = new boolean[n];
      Arrays.fill(time, -1);
    }

    void note(int i, Warp w, int lane, boolean indivisibly) {
      time[i] = w.block.grid.time();
      block[i] = (int) w.block.index;
      epoch[i] = w.block.epoch;
      thread[i] = (short) w.thread(lane);
      atomic[i] = indivisibly;
    }

    Notes finer(int n, int by) {
      var all = new Notes(n);
      for (int i = 0; i < n && i >> by < time.length; i++) {
        all.time[i] = time[i >> by];
        all.block[i] = block[i >> by];
        all.epoch[i] = epoch[i >> by];
        all.thread[i] = thread[i >> by];
        all.atomic[i] = atomic[i >> by];
      }
      return all;
    }
  }

  Watch(int bytes, int size) {
    this.bytes = bytes;
    shift = Integer.numberOfTrailingZeros(size);
    int n = (bytes + size - 1) >> shift;
    writes = new Notes(n);
    reads = new Notes(n);
  }

  /**
   * Notes an access.
   *
   * @param changes whether it writes another value than is there
   * @return a description of the access that it races with; null for none
   */
  String access(Access how, int at, int size, Warp w, int lane, boolean changes) {
    if (size >> shift == 0) {
      int finer = Integer.numberOfTrailingZeros(size);
      writes = writes.finer(bytes >> finer, shift - finer);
      reads = reads.finer(bytes >> finer, shift - finer);
      shift = finer;
    }
    int i = at >> shift;
    if (how.reads()) {
      var race = races(writes, i, w, lane, how.atomic()) ? text("written", writes, i) : null;
      if (how == Access.READ) {
        reads.note(i, w, lane, false);
      }
      return race;
    }
    var race = changes && races(reads, i, w, lane, false) ? text("read", reads, i) : null;
    writes.note(i, w, lane, how.atomic());
    return race;
  }

  private static boolean races(Notes notes, int i, Warp w, int lane, boolean atomic) {
    var grid = w.block.grid;
    int time = notes.time[i];
    if (time < grid.start() || atomic && notes.atomic[i]) {
      return false; // The two are of different launches, or both are indivisible.
    }
    if (notes.block[i] == (int) w.block.index) {
      boolean same = notes.thread[i] == (short) w.thread(lane);
      return !same && notes.epoch[i] == w.block.epoch && w.block.fenced <= time;
    }
    return grid.fenced(notes.block[i]) <= time || w.block.fenced <= time;
  }

  private static String text(String what, Notes notes, int i) {
    return "%s by thread %d of block %d".formatted(what, notes.thread[i], notes.block[i]);
  }
}
