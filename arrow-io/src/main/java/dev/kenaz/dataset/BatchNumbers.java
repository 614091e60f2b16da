package dev.kenaz.dataset;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;

/**
 * Collects the numbers of one column of a batch in the memory of its vector. Days and points of
 * time are integers here.
 */
final class BatchNumbers {
  private final BaseFixedWidthVector vector;
  private final Prim prim;
  private final int capacity;
  private MemorySegment data;
  private MemorySegment validity;

  /**
   * @param capacity so many rows fit
   */
  BatchNumbers(BaseFixedWidthVector vector, Prim prim, int capacity) {
    this.vector = vector;
    this.prim = prim;
    this.capacity = capacity;
    clear();
  }

  /** Begins a batch. Its rows are not null as long as nobody says so. */
  void clear() {
    if (vector.getValueCapacity() < capacity || data == null) {
      vector.allocateNew(capacity);
      data = segment(vector.getDataBuffer());
      validity = segment(vector.getValidityBuffer());
    }
    if (prim == Prim.BOOL) {
      data.fill((byte) 0);
    }
    validity.fill((byte) 0xFF);
  }

  static MemorySegment segment(ArrowBuf buffer) {
    return MemorySegment.ofAddress(buffer.memoryAddress()).reinterpret(buffer.capacity());
  }

  void set(int row, long bits) {
    if (prim == Prim.BOOL) {
      if (bits != 0) {
        set(data, row, true);
      }
    } else {
      Elements.setBits(data, prim, row, bits);
    }
  }

  void setNull(int row) {
    if (prim != Prim.BOOL) {
      Elements.setBits(data, prim, row, 0);
    }
    set(validity, row, false);
  }

  private static void set(MemorySegment bits, int i, boolean on) {
    byte old = bits.get(ValueLayout.JAVA_BYTE, i >> 3);
    int bit = 1 << (i & 7);
    bits.set(ValueLayout.JAVA_BYTE, i >> 3, (byte) (on ? old | bit : old & ~bit));
  }
}
