package dev.kenaz.dataset;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Eight bytes of a text at once, as a number whose least byte comes first. Fields of numbers are
 * short and have different lengths, so a loop over their bytes ends where the processor didn't
 * expect it; this has no such loops (H. Warren, "Hacker's Delight", 2nd edition, section 6-1).
 */
final class EightBytes {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long HIGHEST = 0x8080808080808080L;
  private static final long ZEROS = 0x3030303030303030L;

  private EightBytes() {}

  static long at(byte[] bytes, int i) {
    return (long) LONGS.get(bytes, i);
  }

  /** Returns eight times a byte, with which {@link #equal} compares. */
  static long all(int b) {
    return (b & 0xFF) * ONES;
  }

  /**
   * Returns a number whose lowest bit stands in the first of eight bytes that is equal to another
   * one; zero if none is. What stands above that bit means nothing.
   */
  static long equal(long eight, long other) {
    long different = eight ^ other;
    return different - ONES & ~different & HIGHEST;
  }

  /** Returns the place of the byte in which the lowest bit stands. */
  static int place(long found) {
    return Long.numberOfTrailingZeros(found) >>> 3;
  }

  /**
   * Returns the number that the last digits of eight bytes are; -1 if they aren't all digits.
   *
   * @param count how many of them are looked at, from 1 to 8
   */
  static long number(long eight, int count) {
    // The bytes before the digits become zeros, which change nothing.
    long wanted = -1L << 8 * (8 - count);
    long digits = eight & wanted | ZEROS & ~wanted;
    // A byte is a digit if its upper half is 3, also after 6 is added.
    boolean all =
        ((digits & 0xF0F0F0F0F0F0F0F0L)
                | (digits + 0x0606060606060606L & 0xF0F0F0F0F0F0F0F0L) >>> 4)
            == 0x3333333333333333L;
    if (!all) {
      return -1;
    }
    // Neighbours become numbers below 100, then those below 10^4, then one.
    long x = digits - ZEROS;
    x = 10 * x + (x >>> 8);
    return ((x & 0x000000FF000000FFL) * 0x000F424000000064L
            + (x >>> 16 & 0x000000FF000000FFL) * 0x0000271000000001L)
        >>> 32;
  }
}
