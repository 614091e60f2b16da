package dev.kenaz.elementary;

import dev.kenaz.elementary.Writer.Real;
import dev.kenaz.value.Prim;

/**
 * Writes natural logarithms.
 *
 * <p><b>Reduction.</b> {@code x = 2^k m} with {@code m} from {@code sqrt(1/2)} to {@code sqrt 2}.
 * Subtracting the bits of {@code sqrt(1/2)} from those of {@code x} leaves {@code k} as the
 * exponent. Then {@code log x = k ln 2 + log m}. The formula doesn't hold for subnormal numbers.
 *
 * <p><b>Series.</b> With {@code f = m - 1}, which is exact, and {@code s = f / (2 + f)}, {@code log
 * m = 2 artanh s = 2 s + s R}, where {@code R = 2/3 s^2 + 2/5 s^4 + ...} is a polynomial in {@code
 * z = s^2} that interpolates at Chebyshev's points, for {@code z <= 0.0295}. As {@code 2 s = f - s
 * f} and {@code s f = f^2/2 - s f^2/2}, this is {@code f - (f^2/2 - s (f^2/2 + R))}. The bracket is
 * at most 0.09, so its error counts little.
 *
 * <p><b>Sum.</b> {@code ln 2} is the sum of two constants, the first with so few bits that its
 * product with {@code k} is exact. That product is larger than {@code f} unless it is zero, so
 * their sum and what its rounding loses are known exactly.
 *
 * <p><b>Of one plus x.</b> {@code 1 + x} is rounded to {@code u}, and what that loses is exact. It
 * is scaled like {@code u} and added to {@code f}; what this loses in turn is {@code c}, and adds
 * {@code c / (1 + f)}, which is {@code c - c f} as far as it counts.
 */
final class Logarithms {
  private static final double[] SERIES_64 = {
    0x1.5555555555558p-1,
    0x1.99999999952d7p-2,
    0x1.2492492df281ap-2,
    0x1.c71c62e3f11e6p-3,
    0x1.7462b51cb66b1p-3,
    0x1.39fe51a7c18f9p-3,
    0x1.2b5900de53b32p-3
  };
  private static final double[] SERIES_32 = {0x1.55555cp-1, 0x1.997c2ep-2, 0x1.2ee656p-2};

  private static final double LN2_LOW_64 = 0x1.abc9e3b39803fp-56;
  private static final float LN2_LOW_32 = -0x1.05c610p-29f;

  /** More than {@code -k} for all exponents of normal numbers, and a power of two. */
  private static final int OFFSET_64 = 1024;

  private static final int OFFSET_32 = 128;

  private final Writer w;
  private final Real x;

  private Logarithms(Prim prim) {
    w = new Writer(prim);
    x = w.argument(0);
  }

  static Formula log(Prim prim) {
    var l = new Logarithms(prim);
    return l.w.formula(l.log());
  }

  static Formula log1p(Prim prim) {
    var l = new Logarithms(prim);
    return l.w.formula(l.log1p());
  }

  /** A normal number as {@code 2^k m}, where {@code m} is from the root of 1/2 to that of 2. */
  record Parts(Real k, Real m) {}

  static Parts parts(Writer w, Real x) {
    boolean single = w.digits() == 23;
    int offset = single ? OFFSET_32 : OFFSET_64;
    var bits = x.bits();
    double root = Math.sqrt(0.5);
    long half = single ? Float.floatToRawIntBits((float) root) : Double.doubleToRawLongBits(root);
    long shift = (long) offset << w.digits();
    var exponent = bits.minus(w.whole(half - shift));
    var fraction = w.whole((1L << w.digits()) - 1);
    // Without its exponent's bits this is what m has above the root of one half.
    var m = exponent.and(fraction).plus(w.whole(half)).real();
    var one = w.bitsOf(1L << w.digits());
    var biased = exponent.right(w.digits()).or(one).real();
    return new Parts(biased.minus(w.real((double) (1L << w.digits()) + offset)), m);
  }

  /** Returns {@code k ln 2 + log(1 + f)}, given {@code k} times the second part of {@code ln 2}. */
  private Real sum(Real k, Real f, Real low) {
    var s = f.over(w.real(2).plus(f));
    var z = s.times(s);
    var series = z.times(w.polynomial(z, SERIES_64, SERIES_32));
    var square = f.times(f).times(w.real(0.5));
    var main = f.minus(square.minus(s.times(square.plus(series), low)));
    return k.times(w.real(0x1.62e42fefa39efp-1, 0x1.62e430p-1f), main);
  }

  /** Returns what is true of the argument that the logarithm is taken of, next to zero too. */
  private Real withSpecialValues(Real zero, Real y) {
    var infinity = w.real(Double.POSITIVE_INFINITY);
    var none = zero.atMost(x).choose(w.real(Double.NEGATIVE_INFINITY), w.real(Double.NaN));
    return zero.less(x).choose(x.less(infinity).choose(y, x), none);
  }

  private Real log() {
    var p = parts(w, x);
    var k = p.k;
    var y = sum(k, p.m.minus(w.real(1)), k.times(w.real(LN2_LOW_64, LN2_LOW_32)));
    var isNormal = w.real(Double.MIN_NORMAL, Float.MIN_NORMAL).atMost(x);
    w.shortcut(isNormal.and(x.atMost(w.real(Double.MAX_VALUE, Float.MAX_VALUE))), y);
    w.guard(isNormal.or(x.atMost(w.real(0))));
    return withSpecialValues(w.real(0), y);
  }

  private Real log1p() {
    var one = w.real(1);
    var u = one.plus(x);
    var kept = u.minus(one);
    var lost = one.minus(u.minus(kept)).plus(x.minus(kept));
    var p = parts(w, u);
    var k = p.k;
    var exponent = p.m.bits().minus(u.bits()).plus(w.bitsOf(1));
    var scaled = u.less(w.real(0x1p60, 0x1p30f)).choose(lost.times(exponent.real()), w.real(0));
    var near = p.m.minus(one);
    var f = near.plus(scaled);
    var c = scaled.minus(f.minus(near));
    var minus = c.times(w.real(-1));
    var low = k.times(w.real(LN2_LOW_64, LN2_LOW_32), minus.times(f, c));
    var y = withSpecialValues(w.real(-1), sum(k, f, low));
    return x.magnitude().less(w.real(0x1p-54, 0x1p-25f)).choose(x, y);
  }
}
