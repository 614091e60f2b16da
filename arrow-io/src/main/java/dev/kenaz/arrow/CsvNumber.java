package dev.kenaz.arrow;

import dev.kenaz.value.Prim;

/**
 * Reads numbers from the bytes of fields, without making text of them, where that is simple: short
 * integers, and decimal fractions that are the quotient or product of two numbers that doubles hold
 * exactly, so that one operation rounds right (W. Clinger, "How to read floating point numbers
 * accurately", 1990). {@link CsvField} reads everything else.
 */
final class CsvNumber {
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

  private CsvNumber() {}

  /** Stands for fields that {@link CsvField} must read. It is the bits of no common number. */
  static final long OTHER = 0x7FF4_B0B0_B0B0_B0B1L;

  /** Returns the bits of a number in normal form, or {@link #OTHER}. */
  static long parse(byte[] bytes, int from, int to, Prim type) {
    return switch (type) {
      case I64, I32, I16, I8, U32, U16, U8 -> integer(bytes, from, to, type);
      case F64, F32 -> real(bytes, from, to, type == Prim.F32);
      case BOOL, U64, F16 -> OTHER;
    };
  }

  private static long integer(byte[] bytes, int from, int to, Prim type) {
    int at = from;
    boolean negative = at < to && bytes[at] == '-';
    at += negative ? 1 : 0;
    if (at == to || to - at > DIGITS) {
      return OTHER;
    }
    long x = 0;
    for (; at < to; at++) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9) {
        return OTHER;
      }
      x = 10 * x + digit;
    }
    x = negative ? -x : x;
    return type == Prim.I64 || type.normalise(x) == x ? x : OTHER;
  }

  private static long real(byte[] bytes, int from, int to, boolean single) {
    int at = from;
    boolean negative = at < to && bytes[at] == '-';
    at += negative ? 1 : 0;
    long digits = 0;
    int first = at;
    while (at < to && isDigit(bytes[at])) {
      digits = 10 * digits + bytes[at++] - '0';
    }
    int count = at - first;
    int exponent = 0;
    if (at < to && bytes[at] == '.') {
      int point = ++at;
      while (at < to && isDigit(bytes[at])) {
        digits = 10 * digits + bytes[at++] - '0';
      }
      exponent = point - at;
      count += at - point;
    }
    if (count == 0 || count > DIGITS || digits > EXACT) {
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
    if (exponent < -22 || exponent > 22) {
      return OTHER;
    }
    double x = exponent < 0 ? digits / POWERS[-exponent] : digits * POWERS[exponent];
    return Double.doubleToRawLongBits(negative ? -x : x);
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
