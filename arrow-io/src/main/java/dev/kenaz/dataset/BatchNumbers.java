package dev.kenaz.dataset;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;

/**
 * Collects the numbers of one column of a batch in the memory of its vector. Days and points of
 * time are integers here.
 */
final class BatchNumbers {
  private static final ValueLayout.OfLong LONGS =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INTS =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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

  /**
   * Sets numbers of some rows, which stand in a table of numbers that has all columns.
   *
   * @param row the first row
   * @param table rows of numbers, one row after the other
   * @param first where the first number is
   * @param step how many numbers a row of the table has
   * @param count how many rows are set
   */
  void set(int row, long[] table, int first, int step, int count) {
    long at = (long) row * prim.byteSize();
    var to = data.asSlice(at, (long) count * prim.byteSize());
    switch (prim) {
      case I64, U64, F64 -> {
        for (int i = 0; i < count; i++) {
          to.set(LONGS, 8L * i, table[first + i * step]);
        }
      }
      case I32, U32, F32 -> {
        for (int i = 0; i < count; i++) {
          to.set(INTS, 4L * i, (int) table[first + i * step]);
        }
      }
      case I8, U8, I16, U16, F16, BOOL -> {
        for (int i = 0; i < count; i++) {
          set(row + i, table[first + i * step]);
        }
      }
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
