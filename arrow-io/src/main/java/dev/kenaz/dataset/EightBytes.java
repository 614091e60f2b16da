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
  private static final long SIXES = 0x0606060606060606L;
  private static final long UPPER = 0xF0F0F0F0F0F0F0F0L;
  private static final long[] TENS = {1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000};
  private static final long LINE_FEEDS = all('\n');
  private static final long RETURNS = all('\r');

  /** Stands for what is no integer. */
  static final long NONE = Long.MIN_VALUE;

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
    boolean all = ((digits & UPPER) | (digits + SIXES & UPPER) >>> 4) == 0x3333333333333333L;
    return all ? value(digits - ZEROS) : -1;
  }

  /**
   * Returns how many of eight bytes belong to the integer with which they begin, from 1 to 8, if
   * there is one. The first byte, which may be a sign, isn't looked at.
   */
  static int integerLength(long eight) {
    long digits = eight ^ ZEROS;
    // What is no digit changes bytes behind it at most, where nobody looks.
    long others = (digits + SIXES | digits) & UPPER & ~0xFFL;
    return Long.numberOfTrailingZeros(others) >>> 3;
  }

  /**
   * Returns the integer, perhaps with a minus sign, with which eight bytes begin; {@link #NONE} if
   * they begin otherwise.
   *
   * @param length how many bytes it has, as {@link #integerLength} tells, at most 7
   */
  static long integer(long eight, int length) {
    long digits = eight ^ ZEROS;
    // This is 1 for a minus sign. Signs come as they please, so a branch would often be wrong.
    long minus = (digits & 0xFF ^ '-' ^ '0') - 1 >>> 63;
    digits ^= ('-' ^ '0') & -minus;
    if ((digits & 0xFF) > 9 || length == minus) {
      return NONE;
    }
    return (value(digits << 64 - 8 * length) ^ -minus) + minus;
  }

  /**
   * Returns the digits of a number and those with which eight bytes begin as one number; {@link
   * #NONE} if there is none, or if the bytes begin otherwise.
   *
   * @param length how many of the bytes are digits, as {@link #integerLength} tells
   */
  static long joined(long number, long eight, int length) {
    long digits = eight ^ ZEROS;
    return number < 0 || (digits & 0xFF) > 9 || length == 8
        ? NONE
        : number * TENS[length] + value(digits << 64 - 8 * length);
  }

  /** Returns the number that eight digits are, of which the first one counts most. */
  private static long value(long digits) {
    // Neighbours become numbers below 100, then those below 10^4, then one.
    long x = 10 * digits + (digits >>> 8);
    return ((x & 0x000000FF000000FFL) * 0x000F424000000064L
            + (x >>> 16 & 0x000000FF000000FFL) * 0x0000271000000001L)
        >>> 32;
  }

  /**
   * Returns the first place of a separator or the end of a line; the limit if there is none.
   *
   * @param separators eight times the separator
   */
  static int endOfField(byte[] bytes, int from, int limit, long separators) {
    int i = from;
    for (; i + 8 <= limit; i += 8) {
      long eight = at(bytes, i);
      long found = equal(eight, separators) | equal(eight, LINE_FEEDS) | equal(eight, RETURNS);
      if (found != 0) {
        return i + place(found);
      }
    }
    while (i < limit && bytes[i] != (byte) separators && bytes[i] != '\n' && bytes[i] != '\r') {
      i++;
    }
    return i;
  }
}
