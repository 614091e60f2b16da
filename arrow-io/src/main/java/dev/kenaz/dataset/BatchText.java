package dev.kenaz.dataset;

import java.util.Arrays;
import org.apache.arrow.vector.BaseVariableWidthVector;

/** Collects the strings of one column of a batch. */
final class BatchText {
  private byte[] bytes = new byte[1 << 12];
  private int[] ends = new int[1 << 8];
  private boolean[] missing = new boolean[1 << 8];
  private int rows;

  /** Appends bytes of UTF-8. */
  void add(byte[] from, int start, int end) {
    room(end - start);
    System.arraycopy(from, start, bytes, end(), end - start);
    next(end() + end - start, false);
  }

  void add(byte[] text) {
    add(text, 0, text.length);
  }

  void addNull() {
    room(0);
    next(end(), true);
  }

  private void next(int end, boolean isNull) {
    ends[rows] = end;
    missing[rows++] = isNull;
  }

  private void room(int more) {
    if (rows == ends.length) {
      ends = Arrays.copyOf(ends, 2 * rows);
      missing = Arrays.copyOf(missing, 2 * rows);
    }
    int needed = Math.addExact(end(), more);
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, (int) Math.min(2L * bytes.length, 1 << 30)));
    }
  }

  private int end() {
    return rows == 0 ? 0 : ends[rows - 1];
  }

  /** Returns how many bytes all strings have. */
  int size() {
    return end();
  }

  /** Moves the strings into a vector, and forgets them. */
  void flush(BaseVariableWidthVector into) {
    into.allocateNew(Math.max(1, end()), rows);
    into.getDataBuffer().setBytes(0, bytes, 0, end());
    var offsets = into.getOffsetBuffer();
    var validity = into.getValidityBuffer();
    validity.setZero(0, validity.capacity());
    offsets.setInt(0, 0);
    for (int i = 0; i < rows; i++) {
      offsets.setInt(4L * (i + 1), ends[i]);
      if (!missing[i]) {
        validity.setByte(i >> 3, validity.getByte(i >> 3) | 1 << (i & 7));
      }
    }
    into.setLastSet(rows - 1);
    into.setValueCount(rows);
    rows = 0;
  }
}
