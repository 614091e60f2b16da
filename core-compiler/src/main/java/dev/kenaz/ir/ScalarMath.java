package dev.kenaz.ir;

/**
 * Computes scalar functions that the Java library lacks or defines differently, as static methods
 * on primitives: generated code calls them, and {@link ScalarOps} uses them. The float versions
 * round the double results once.
 */
public final class ScalarMath {
  private ScalarMath() {}

  /** Computes C's fmod: the remainder of truncating the quotient, which has the dividend's sign. */
  public static double mod(double x, double y) {
    return x % y;
  }

  public static float mod(float x, float y) {
    return x % y;
  }

  /** Truncated and saturating; 0 of what is not finite. */
  public static int toI32(double x) {
    return Math.abs(x) <= Double.MAX_VALUE ? (int) x : 0;
  }

  public static int toI32(float x) {
    return Math.abs(x) <= Float.MAX_VALUE ? (int) x : 0;
  }

  /** Truncated and saturating; 0 of what is not finite. */
  public static long toI64(double x) {
    return Math.abs(x) <= Double.MAX_VALUE ? (long) x : 0;
  }

  public static long toI64(float x) {
    return Math.abs(x) <= Float.MAX_VALUE ? (long) x : 0;
  }

  /** Computes by repeated squaring, wrapping; the exponent is not negative (or is unsigned). */
  public static long pow(long x, long y) {
    long result = 1;
    while (y != 0) {
      if ((y & 1) != 0) {
        result *= x;
      }
      x *= x;
      y >>>= 1;
    }
    return result;
  }

  public static int pow(int x, int y) {
    return (int) pow((long) x, y & 0xFFFF_FFFFL);
  }

  /** The other argument if one is NaN. */
  public static double min(double x, double y) {
    return Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.min(x, y);
  }

  public static float min(float x, float y) {
    return Float.isNaN(x) ? y : Float.isNaN(y) ? x : Math.min(x, y);
  }

  /** The other argument if one is NaN. */
  public static double max(double x, double y) {
    return Double.isNaN(x) ? y : Double.isNaN(y) ? x : Math.max(x, y);
  }

  public static float max(float x, float y) {
    return Float.isNaN(x) ? y : Float.isNaN(y) ? x : Math.max(x, y);
  }

  /** Returns the bits of x with the sign bit of y, for NaN too. */
  public static double copySign(double x, double y) {
    return StrictMath.copySign(x, y);
  }

  /** Returns the logarithm to the base 2, which is exact for powers of two. */
  public static double log2(double x) {
    if (!(x > 0) || Double.isInfinite(x)) {
      return StrictMath.log(x);
    }
    int e = Math.getExponent(x);
    if (e < Double.MIN_EXPONENT) {
      return log2(x * 0x1p54) - 54;
    }
    double m = Math.scalb(x, -e);
    if (m > 1.5) {
      m /= 2;
      e++;
    }
    return e + StrictMath.log(m) * 1.4426950408889634;
  }

  public static float log2(float x) {
    return (float) log2((double) x);
  }

  public static double asinh(double x) {
    double a = Math.abs(x);
    if (a < 0x1p-28 || Double.isInfinite(x) || Double.isNaN(x)) {
      return x;
    }
    double y =
        a > 0x1p28
            ? StrictMath.log(a) + 0.6931471805599453
            : StrictMath.log1p(a + a * a / (1 + Math.sqrt(1 + a * a)));
    return Math.copySign(y, x);
  }

  public static double acosh(double x) {
    if (x > 0x1p28) {
      return StrictMath.log(x) + 0.6931471805599453;
    }
    double t = x - 1;
    return x < 1 ? Double.NaN : StrictMath.log1p(t + Math.sqrt(t * (t + 2)));
  }

  public static double atanh(double x) {
    double a = Math.abs(x);
    return a < 0x1p-28 ? x : Math.copySign(0.5 * StrictMath.log1p(2 * a / (1 - a)), x);
  }

  public static float asinh(float x) {
    return (float) asinh((double) x);
  }

  public static float acosh(float x) {
    return (float) acosh((double) x);
  }

  public static float atanh(float x) {
    return (float) atanh((double) x);
  }

  /** Returns the gamma function of x, which is NaN at negative integers. */
  public static double gamma(double x) {
    return SpecialFunctions.gamma(x);
  }

  public static float gamma(float x) {
    return (float) SpecialFunctions.gamma(x);
  }

  /** Returns the logarithm of the absolute value of the gamma function. */
  public static double lgamma(double x) {
    return SpecialFunctions.lgamma(x);
  }

  public static float lgamma(float x) {
    return (float) SpecialFunctions.lgamma(x);
  }

  public static double erf(double x) {
    return SpecialFunctions.erf(x);
  }

  public static float erf(float x) {
    return (float) SpecialFunctions.erf(x);
  }

  public static double erfc(double x) {
    return SpecialFunctions.erfc(x);
  }

  public static float erfc(float x) {
    return (float) SpecialFunctions.erfc(x);
  }

  /**
   * Returns the {@code n}-th derivative of the digamma function, which is the logarithm of gamma's
   * derivative. Good to about 13 digits.
   */
  public static double polygamma(int n, double x) {
    return SpecialFunctions.polygamma(n, x);
  }
}
