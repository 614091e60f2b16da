package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.math.BigInteger;

/**
 * Reads numbers from the bytes of fields, without making text of them, where that is simple: short
 * integers, and decimal fractions of up to 19 digits. {@link CsvField} reads everything else.
 *
 * <p>A fraction that is the quotient or product of two numbers that doubles hold exactly is rounded
 * right by that one operation (W. Clinger, "How to read floating point numbers accurately", 1990).
 * Another one is the product of its digits, an integer w, and a power of ten, of which the first
 * 128 bits are known (D. Lemire, "Number parsing at a gigabyte per second", 2021, section 5): the
 * first 64 bits of w times the first 64 bits of the power nearly always tell how the product is
 * rounded; if they don't, the rest of the power is multiplied, too.
 */
public final class CsvNumber {
  /** All integers up to here are doubles. */
  private static final long EXACT = 1L << 53;

  /** All integers up to here are floats. */
  private static final long EXACT_SINGLE = 1L << 24;

  /** The powers of ten that are doubles; those up to the tenth are floats, too. */
  private static final double[] POWERS = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22
  };

  /** No 18 digits overflow a long. */
  private static final int DIGITS = 18;

  /**
   * From here to {@link #MOST_POWER}, 128 bits of a power of ten are enough for all numbers of 19
   * digits.
   */
  private static final int LEAST_POWER = -27;

  private static final int MOST_POWER = 55;
  private static final long[] FIRST_BITS = new long[MOST_POWER - LEAST_POWER + 1];
  private static final long[] NEXT_BITS = new long[MOST_POWER - LEAST_POWER + 1];

  static {
    for (int e = LEAST_POWER; e <= MOST_POWER; e++) {
      var bits = bits(e);
      FIRST_BITS[e - LEAST_POWER] = bits.shiftRight(64).longValue();
      NEXT_BITS[e - LEAST_POWER] = bits.longValue();
    }
  }

  private CsvNumber() {}

  /** Stands for fields that {@link CsvField} must read. It is the bits of no common number. */
  public static final long OTHER = 0x7FF4_B0B0_B0B0_B0B1L;

  /** Returns the bits of a number in normal form, or {@link #OTHER}. */
  public static long parse(byte[] bytes, int from, int to, Prim type) {
    return switch (type) {
      case I64, I32, I16, I8, U32, U16, U8 -> integer(bytes, from, to, type);
      case F64, F32 -> real(bytes, from, to, type == Prim.F32);
      case U64 -> from < to && bytes[from] != '-' ? integer(bytes, from, to, Prim.I64) : OTHER;
      case BOOL, F16 -> OTHER;
    };
  }

  private static long integer(byte[] bytes, int from, int to, Prim type) {
    if (from == to) {
      return OTHER;
    }
    // This is 1 for a minus sign. Signs come as they please, so a branch would often be wrong.
    int minus = (bytes[from] & 0xFF ^ '-') - 1 >>> 31;
    int at = from + minus;
    if (at == to || to - at > DIGITS) {
      return OTHER;
    }
    if (to - at <= 8 && to >= 8) {
      long number = EightBytes.number(EightBytes.at(bytes, to - 8), to - at);
      return number < 0 ? OTHER : fitting((number ^ -minus) + minus, type);
    }
    long x = 0;
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9) {
        return OTHER;
      }
      x = 10 * x + digit;
    }
    return fitting((x ^ -minus) + minus, type);
  }

  private static long fitting(long x, Prim type) {
    return type == Prim.I64 || type.normalise(x) == x ? x : OTHER;
  }

  private static long real(byte[] bytes, int from, int to, boolean single) {
    int at = from;
    boolean negative = at < to && bytes[at] == '-';
    at += negative ? 1 : 0;
    int first = at;
    while (at < to && bytes[at] == '0') {
      at++;
    }
    int leading = at;
    long digits = 0;
    while (at < to && isDigit(bytes[at])) {
      digits = 10 * digits + bytes[at++] - '0';
    }
    int count = at - leading;
    int seen = at - first;
    int exponent = 0;
    if (at < to && bytes[at] == '.') {
      int point = ++at;
      while (count == 0 && at < to && bytes[at] == '0') {
        at++;
      }
      int zeros = count == 0 ? at - point : 0;
      while (at < to && isDigit(bytes[at])) {
        digits = 10 * digits + bytes[at++] - '0';
      }
      exponent = point - at;
      count += at - point - zeros;
      seen += at - point;
    }
    if (seen == 0 || count > (single ? DIGITS : DIGITS + 1)) {
      return OTHER;
    }
    if (at < to) {
      int power = power(bytes, at, to);
      if (power == Integer.MIN_VALUE) {
        return OTHER;
      }
      exponent += power;
    }
    if (single) {
      return single(digits, exponent, negative);
    }
    boolean exact = digits >= 0 && digits <= EXACT && exponent >= -22 && exponent <= 22;
    return exact ? exact(digits, exponent, negative) : product(digits, exponent, negative);
  }

  /**
   * Returns a number of at most 15 digits in normal form, or {@link #OTHER}.
   *
   * @param behind how many of the digits are behind the point
   * @param type {@link Prim#F32} or {@link Prim#F64}
   */
  static long decimal(long digits, int behind, boolean negative, Prim type) {
    return type == Prim.F32 ? single(digits, -behind, negative) : exact(digits, -behind, negative);
  }

  private static long exact(long digits, int exponent, boolean negative) {
    double x = exponent < 0 ? digits / POWERS[-exponent] : digits * POWERS[exponent];
    return Double.doubleToRawLongBits(negative ? -x : x);
  }

  /**
   * Rounds the product of some digits and a power of ten.
   *
   * @param digits a number without sign, of at most 19 digits
   */
  private static long product(long digits, int exponent, boolean negative) {
    if (digits == 0 || exponent < LEAST_POWER || exponent > MOST_POWER) {
      return OTHER;
    }
    int zeros = Long.numberOfLeadingZeros(digits);
    long w = digits << zeros;
    long power = FIRST_BITS[exponent - LEAST_POWER];
    long high = Math.unsignedMultiplyHigh(w, power);
    long low = w * power;
    if ((high & 0x1FF) == 0x1FF) {
      // What the rest of the power adds may carry into the bits that count.
      long more = Math.unsignedMultiplyHigh(w, NEXT_BITS[exponent - LEAST_POWER]);
      low += more;
      high += Long.compareUnsigned(low, more) < 0 ? 1 : 0;
    }
    int upper = (int) (high >>> 63);
    int shift = upper + 9;
    long mantissa = high >>> shift;
    int binary = (217706 * exponent >> 16) + 63 + upper - zeros + 1023;
    if (binary <= 0 || binary >= 2046) {
      return OTHER; // It has fewer digits than others, or is infinite.
    }
    if (Long.compareUnsigned(low, 1) <= 0
        && exponent >= -4
        && exponent <= 23
        && (mantissa & 3) == 1
        && mantissa << shift == high) {
      mantissa &= ~1L; // It lies just between two doubles, and goes to the even one.
    }
    mantissa = (mantissa + (mantissa & 1)) >>> 1;
    if (mantissa >= 1L << 53) {
      mantissa = 1L << 52;
      binary++;
    }
    long bits = mantissa & ~(1L << 52) | (long) binary << 52;
    return negative ? bits | Long.MIN_VALUE : bits;
  }

  /** Returns the first 128 bits of a power of ten, of which the power of two is left out. */
  private static BigInteger bits(int exponent) {
    var five = BigInteger.valueOf(5).pow(Math.abs(exponent));
    if (exponent >= 0) {
      return five.shiftLeft(128).shiftRight(five.bitLength());
    }
    // A quotient is rounded up, so that it is never less than the power.
    int length = five.subtract(BigInteger.ONE).bitLength();
    return BigInteger.ONE.shiftLeft(length + 127).divide(five).add(BigInteger.ONE);
  }

  /** Does the same in single precision, where fewer numbers are exact. */
  private static long single(long digits, int exponent, boolean negative) {
    if (digits > EXACT_SINGLE || exponent < -10 || exponent > 10) {
      return OTHER;
    }
    float power = (float) POWERS[Math.abs(exponent)];
    float x = exponent < 0 ? digits / power : digits * power;
    return Float.floatToRawIntBits(negative ? -x : x) & 0xFFFF_FFFFL;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  /** Reads an exponent such as {@code e-12}; the least integer stands for anything else. */
  private static int power(byte[] bytes, int from, int to) {
    int at = from;
    if (bytes[at] != 'e' && bytes[at] != 'E') {
      return Integer.MIN_VALUE;
    }
    at++;
    boolean negative = at < to && bytes[at] == '-';
    at += at < to && (bytes[at] == '-' || bytes[at] == '+') ? 1 : 0;
    if (at == to || to - at > 3) {
      return Integer.MIN_VALUE;
    }
    int power = 0;
    for (; at < to; at++) {
      if (!isDigit(bytes[at])) {
        return Integer.MIN_VALUE;
      }
      power = 10 * power + bytes[at] - '0';
    }
    return negative ? -power : power;
  }
}
