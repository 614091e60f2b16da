package dev.kenaz.jvm;

import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Finds the rows of a factor whose products are subnormal, and keeps these from becoming so. If
 * weights are exponential functions of large differences, as in mixtures of distributions, the
 * derivatives of what has hardly any weight are such rows. Many processors take a hundred times
 * longer for each product with a subnormal number.
 *
 * <p>So rows of tiny numbers are multiplied by a power of two before the product. That is exact,
 * and so is the division afterwards, unless its result is subnormal; then it is rounded once, and
 * not at each addition.
 */
final class Magnitudes {
  private static final MemorySegment ALL = NativeMemory.ALL;
  private static final ValueLayout.OfDouble F64_AT = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfFloat F32_AT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfLong F64_BITS = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt F32_BITS = ValueLayout.JAVA_INT_UNALIGNED;

  /** So many elements are looked at together. */
  private static final int STEP = 32;

  /** Without the sign, the bits of floats are in the order of their magnitudes. */
  private static final long TINY_F64 = Double.doubleToRawLongBits(0x1p-900);

  private static final int TINY_F32 = Float.floatToRawIntBits(0x1p-100f);
  private static final double LARGER_F64 = 0x1p600;
  private static final float LARGER_F32 = 0x1p80f;

  /** The smallest numbers, enlarged: all subnormal ones are multiples of them. */
  private static final double UNIT_F64 = Double.MIN_VALUE * LARGER_F64;

  private static final float UNIT_F32 = Float.MIN_VALUE * LARGER_F32;

  /** What is smaller than this part of a number is less than half the distance to the next one. */
  private static final double NOTHING_F64 = 0x1p-54;

  private static final float NOTHING_F32 = 0x1p-25f;

  private final boolean wide;

  Magnitudes(Prim prim) {
    wide = prim == Prim.F64;
  }

  /** What adjacent numbers are together. */
  enum Kind {
    /** All of them are zeros, of either sign. */
    ZEROS,
    /** Products with them don't overflow after {@link #enlarge}, and not all of them are zeros. */
    TINY,
    OTHERS
  }

  /** Tells of which kind so many adjacent numbers are. */
  Kind kind(long address, int n) {
    long greatest = 0;
    for (int i = 0; i < n; i += i == 0 ? 1 : STEP) {
      // most rows have larger numbers, and their first elements tell
      greatest = Math.max(greatest, greatest(address, i, Math.min(n, i == 0 ? 1 : i + STEP)));
      if (greatest >= (wide ? TINY_F64 : TINY_F32)) {
        return Kind.OTHERS;
      }
    }
    return greatest > 0 ? Kind.TINY : Kind.ZEROS;
  }

  private long greatest(long address, int from, int to) {
    return wide ? greatest64(address, from, to) : greatest32(address, from, to);
  }

  private static long greatest64(long address, int from, int to) {
    long greatest = 0;
    for (int i = from; i < to; i++) {
      long bits = ALL.get(F64_BITS, address + 8L * i) & Long.MAX_VALUE;
      greatest = Math.max(greatest, bits);
    }
    return greatest;
  }

  private static int greatest32(long address, int from, int to) {
    int greatest = 0;
    for (int i = from; i < to; i++) {
      int bits = ALL.get(F32_BITS, address + 4L * i) & Integer.MAX_VALUE;
      greatest = Math.max(greatest, bits);
    }
    return greatest;
  }

  /** Multiplies adjacent tiny numbers, so that their products are not subnormal. */
  void enlarge(long address, long n) {
    for (long i = 0; i < n; i++) {
      if (wide) {
        long at = address + 8 * i;
        ALL.set(F64_AT, at, enlarged(ALL.get(F64_AT, at)));
      } else {
        long at = address + 4 * i;
        ALL.set(F32_AT, at, enlarged(ALL.get(F32_AT, at)));
      }
    }
  }

  // Subnormal numbers are multiplied and divided as integers, which is faster: their bits say how
  // many times the smallest one they are.

  private static double enlarged(double x) {
    if (Math.abs(x) < Double.MIN_NORMAL) {
      long times = Double.doubleToRawLongBits(Math.abs(x));
      return Math.copySign(times * UNIT_F64, x);
    }
    return x * LARGER_F64;
  }

  private static float enlarged(float x) {
    if (Math.abs(x) < Float.MIN_NORMAL) {
      int times = Float.floatToRawIntBits(Math.abs(x));
      return Math.copySign(times * UNIT_F32, x);
    }
    return x * LARGER_F32;
  }

  private static double reduced(double x) {
    if (Math.abs(x) < Double.MIN_NORMAL * LARGER_F64) {
      long times = (long) Math.rint(Math.abs(x) / UNIT_F64);
      return Math.copySign(Double.longBitsToDouble(times), x);
    }
    return x / LARGER_F64;
  }

  private static float reduced(float x) {
    if (Math.abs(x) < Float.MIN_NORMAL * LARGER_F32) {
      int times = (int) Math.rint(Math.abs(x) / UNIT_F32);
      return Math.copySign(Float.intBitsToFloat(times), x);
    }
    return x / LARGER_F32;
  }

  /**
   * Moves adjacent elements of a product with enlarged numbers to where the product belongs.
   *
   * @param add whether to add to what is there, or to replace it
   */
  void reduce(long to, long from, int n, boolean add) {
    for (int i = 0; i < n; i++) {
      if (wide) {
        reduce64(to + 8L * i, ALL.get(F64_AT, from + 8L * i), add);
      } else {
        reduce32(to + 4L * i, ALL.get(F32_AT, from + 4L * i), add);
      }
    }
  }

  /** Mostly the sum is what was there. */
  private static void reduce64(long at, double enlarged, boolean add) {
    double before = add ? ALL.get(F64_AT, at) : 0;
    if (!(Math.abs(enlarged) < Math.abs(before) * (NOTHING_F64 * LARGER_F64))) {
      ALL.set(F64_AT, at, before + reduced(enlarged));
    }
  }

  private static void reduce32(long at, float enlarged, boolean add) {
    float before = add ? ALL.get(F32_AT, at) : 0;
    if (!(Math.abs(enlarged) < Math.abs(before) * (NOTHING_F32 * LARGER_F32))) {
      ALL.set(F32_AT, at, before + reduced(enlarged));
    }
  }
}
