package dev.kenaz.jvm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;

/**
 * Tells whether the numbers of a matrix are finite, and so their products with zeros are zeros.
 *
 * @param size of an element: those of four bytes are f32, those of eight are f64
 * @param checked whether addresses are those of {@link CheckedMemory}
 */
record FiniteNumbers(int size, boolean checked) {
  private static final MemorySegment ALL = NativeMemory.ALL;
  private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /**
   * Whether so many rows are finite, whose elements are adjacent.
   *
   * @param row bytes from a row to the next
   */
  boolean of(long address, long row, int rows, int columns) {
    for (int i = 0; i < rows; i++) {
      long place = address + i * row;
      long at = checked ? CheckedMemory.read(place, (long) columns * size) : place;
      if (!(size == Double.BYTES ? isFinite64(at, columns) : isFinite32(at, columns))) {
        return false;
      }
    }
    return true;
  }

  static DoubleVector vector64(long address) {
    return DoubleVector.fromMemorySegment(Vectors.F64, ALL, address, Vectors.ORDER);
  }

  static FloatVector vector32(long address) {
    return FloatVector.fromMemorySegment(Vectors.F32_FULL, ALL, address, Vectors.ORDER);
  }

  /**
   * Adds up all numbers times zero, which is NaN for each that is not finite; in several sums, none
   * of which waits for another.
   */
  private static boolean isFinite64(long address, int n) {
    var sums = DoubleVector.zero(Vectors.F64);
    var others = sums;
    int lanes = sums.length();
    int k = 0;
    for (; k + 2 * lanes <= n; k += 2 * lanes) {
      sums = vector64(address + 8L * k).mul(0).add(sums);
      others = vector64(address + 8L * (k + lanes)).mul(0).add(others);
    }
    for (; k + lanes <= n; k += lanes) {
      sums = vector64(address + 8L * k).mul(0).add(sums);
    }
    boolean finite = sums.add(others).eq(0).allTrue();
    for (; k < n; k++) {
      finite &= Double.isFinite(ALL.get(F64, address + 8L * k));
    }
    return finite;
  }

  private static boolean isFinite32(long address, int n) {
    var sums = FloatVector.zero(Vectors.F32_FULL);
    var others = sums;
    int lanes = sums.length();
    int k = 0;
    for (; k + 2 * lanes <= n; k += 2 * lanes) {
      sums = vector32(address + 4L * k).mul(0).add(sums);
      others = vector32(address + 4L * (k + lanes)).mul(0).add(others);
    }
    for (; k + lanes <= n; k += lanes) {
      sums = vector32(address + 4L * k).mul(0).add(sums);
    }
    boolean finite = sums.add(others).eq(0).allTrue();
    for (; k < n; k++) {
      finite &= Float.isFinite(ALL.get(F32, address + 4L * k));
    }
    return finite;
  }
}
