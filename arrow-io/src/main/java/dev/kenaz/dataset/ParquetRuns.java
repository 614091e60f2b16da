package dev.kenaz.dataset;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.column.values.bitpacking.BytePacker;
import org.apache.parquet.column.values.bitpacking.Packer;

/**
 * Small integers as Parquet writes levels and numbers of dictionary entries: runs of one integer,
 * and groups of eight that are packed in bits.
 */
final class ParquetRuns {
  private static final int GROUP = 8;

  private final ByteBuffer in;
  private final int width;
  private final BytePacker packer;
  private final int[] group = new int[GROUP];
  private int at;

  /** So many integers of the current run are left; if it is of one integer, which. */
  private int left;

  private boolean packed;
  private int same;

  /** How many integers of {@link #group} are left, which are its last ones. */
  private int inGroup;

  /**
   * @param width how many bits an integer has
   */
  ParquetRuns(ByteBuffer bytes, int from, int width) {
    this.in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.width = width;
    this.packer = Packer.LITTLE_ENDIAN.newBytePacker(width);
    this.at = from;
  }

  /** Reads the next integers. */
  void read(int[] into, int from, int count) {
    int i = from;
    int end = from + count;
    while (i < end) {
      if (left == 0) {
        run();
      }
      int n = Math.min(left, end - i);
      if (packed) {
        unpack(into, i, n);
      } else {
        Arrays.fill(into, i, i + n, same);
      }
      left -= n;
      i += n;
    }
  }

  private void run() {
    int header = 0;
    int shift = 0;
    int b;
    do {
      b = in.get(at++);
      header |= (b & 0x7F) << shift;
      shift += 7;
    } while (b < 0);
    packed = (header & 1) != 0;
    left = packed ? Math.multiplyExact(header >>> 1, GROUP) : header >>> 1;
    inGroup = 0;
    if (!packed) {
      same = 0;
      for (int i = 0; i < (width + 7) / 8; i++) {
        same |= (in.get(at++) & 0xFF) << GROUP * i;
      }
    }
    if (left == 0) {
      throw new IllegalArgumentException("a run has no values");
    }
  }

  private void unpack(int[] into, int from, int count) {
    int i = from;
    int end = from + count;
    while (i < end && inGroup > 0) {
      into[i++] = group[GROUP - inGroup--];
    }
    while (end - i >= GROUP) {
      eight(into, i);
      i += GROUP;
    }
    if (i < end) {
      eight(group, 0);
      inGroup = GROUP;
      while (i < end) {
        into[i++] = group[GROUP - inGroup--];
      }
    }
  }

  private void eight(int[] into, int i) {
    if (at + width <= in.limit()) {
      packer.unpack8Values(in, at, into, i);
    } else {
      // The last group of a page may be cut off behind its last integer.
      var rest = ByteBuffer.allocate(width);
      rest.put(in.slice(at, in.limit() - at));
      packer.unpack8Values(rest, 0, into, i);
    }
    at = Math.min(in.limit(), at + width);
  }
}
