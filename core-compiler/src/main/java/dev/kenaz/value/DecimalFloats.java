package dev.kenaz.value;

import java.math.BigInteger;

/**
 * Finds the float nearest to a decimal {@code w * 10^q} by the algorithm of Eisel and Lemire (D.
 * Lemire, "Number parsing at a gigabyte per second", 2021): one or two 64-bit multiplications by a
 * truncated power of five, which in all but rare cases show that the rounding is certain.
 */
final class DecimalFloats {
  private static final int LEAST = -342;
  private static final int GREATEST = 308;

  /** Says that the caller must take a slower way. These are bits of a NaN, which no decimal has. */
  static final long UNDECIDED = -1;

  private DecimalFloats() {}

  /**
   * The powers of five, normalised to 128 bits: truncated for q >= 0, and for q < 0 reciprocals
   * that are rounded up.
   */
  private static final class Powers {
    static final long[] HIGH = new long[GREATEST - LEAST + 1];
    static final long[] LOW = new long[GREATEST - LEAST + 1];

    static {
      var power = BigInteger.ONE;
      var five = BigInteger.valueOf(5);
      for (int q = 0; q <= -LEAST; q++) {
        if (q <= GREATEST) {
          store(q, power.shiftLeft(Math.max(0, 128 - power.bitLength())));
        }
        if (q > 0) {
          int z = power.subtract(BigInteger.ONE).bitLength();
          int shift = q <= 27 ? z + 127 : 2 * z + 128;
          store(-q, BigInteger.ONE.shiftLeft(shift).divide(power).add(BigInteger.ONE));
        }
        power = power.multiply(five);
      }
    }

    private static void store(int q, BigInteger x) {
      var top = x.shiftRight(Math.max(0, x.bitLength() - 128));
      HIGH[q - LEAST] = top.shiftRight(64).longValue();
      LOW[q - LEAST] = top.longValue();
    }
  }

  /** Returns the bits of the nearest double of {@code w * 10^q}, or {@link #UNDECIDED}. */
  static long f64(long w, int q) {
    return nearest(w, q, 52, -1023, -4, 23);
  }

  /** Returns the bits of the nearest float of {@code w * 10^q}, or {@link #UNDECIDED}. */
  static long f32(long w, int q) {
    return nearest(w, q, 23, -127, -17, 10);
  }

  /**
   * @param w an unsigned number of at most 19 decimal digits
   * @param mantissaBits how many bits of the mantissa are stored
   * @param bias the least exponent, which is that of subnormal numbers
   * @param tieFrom the least q for which {@code w * 10^q} may lie just between two floats
   * @param tieTo the greatest such q
   */
  private static long nearest(long w, int q, int mantissaBits, int bias, int tieFrom, int tieTo) {
    if (w == 0) {
      return 0;
    }
    if (q < LEAST || q > GREATEST) {
      return UNDECIDED;
    }
    int leading = Long.numberOfLeadingZeros(w);
    long x = w << leading;
    long high = Math.unsignedMultiplyHigh(x, Powers.HIGH[q - LEAST]);
    long low = x * Powers.HIGH[q - LEAST];
    long mask = -1L >>> (mantissaBits + 3);
    if ((high & mask) == mask) {
      long more = Math.unsignedMultiplyHigh(x, Powers.LOW[q - LEAST]);
      low += more;
      high += Long.compareUnsigned(low, more) < 0 ? 1 : 0;
    }
    if (low == -1 && (q < -27 || q > 55)) {
      return UNDECIDED;
    }
    int top = (int) (high >>> 63);
    int shift = top + 64 - mantissaBits - 3;
    long mantissa = high >>> shift;
    int exponent = ((217706 * q) >> 16) + 63 + top - leading - bias;
    if (exponent <= 0) {
      return UNDECIDED;
    }
    boolean tie = Long.compareUnsigned(low, 1) <= 0 && q >= tieFrom && q <= tieTo;
    if (tie && (mantissa & 3) == 1 && mantissa << shift == high) {
      mantissa &= ~1L;
    }
    mantissa = (mantissa + (mantissa & 1)) >>> 1;
    if (mantissa >= 2L << mantissaBits) {
      mantissa = 1L << mantissaBits;
      exponent++;
    }
    if (exponent >= -2 * bias + 1) {
      return UNDECIDED;
    }
    return (mantissa & ~(1L << mantissaBits)) | (long) exponent << mantissaBits;
  }
}
