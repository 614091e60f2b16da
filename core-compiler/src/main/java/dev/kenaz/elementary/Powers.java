package dev.kenaz.elementary;

import dev.kenaz.elementary.Writer.Real;
import dev.kenaz.value.Prim;

/**
 * Writes {@code x^y} of f64, which is {@code 2^(y log2 x)}. The exponent may be as large as 1000,
 * so that an error in its last bit would be one of a thousand times as much in the result. So the
 * logarithm is a sum of two floats, as precise as 65 bits.
 *
 * <p><b>Logarithm.</b> As in {@link Logarithms}, {@code x = 2^k m}, and {@code log m = 2 artanh s}
 * with {@code s = f / g}, {@code f = m - 1} and {@code g = m + 1}. What the rounding of {@code g}
 * loses is exact, and so is the remainder of a quotient; so {@code s} is a sum of two floats, too.
 * With {@code z = s^2}, {@code artanh s = s (1 + z/3 + z^2 Q(z))}. {@code z} is at most 0.0295, so
 * the third term's error counts as 66 bits, and {@code Q} interpolates {@code 1/5 + z/7 + z^2/9 +
 * ...} at Chebyshev's points; the second term is a sum of two floats.
 *
 * <p><b>Exponential.</b> That of the sum is taken as in {@link Exponentials}, of a product with
 * {@code ln 2} that is a sum of two floats.
 *
 * <p>The formula holds for normal positive {@code x} and results far from the ends of the range.
 */
final class Powers {
  private static final double[] SERIES = {
    0x1.999999999999ap-3,
    0x1.2492492492521p-3,
    0x1.c71c71c6eaa10p-4,
    0x1.745d177a96056p-4,
    0x1.3b1395d2190c1p-4,
    0x1.1118c7e4b0917p-4,
    0x1.df7cc8e5fa539p-5,
    0x1.e02e6fff27908p-5
  };

  private final Writer w = new Writer(Prim.F64);
  private final Real one = w.real(1);
  private final Real minusOne = w.real(-1);

  /** A sum of two floats. */
  private record Pair(Real high, Real low) {}

  private Powers() {}

  static Formula pow() {
    var p = new Powers();
    return p.w.formula(p.result());
  }

  private Real result() {
    var x = w.argument(0);
    var exponent = product(w.argument(1), log2(x));
    var isNormal = w.real(Double.MIN_NORMAL).atMost(x).and(x.atMost(w.real(Double.MAX_VALUE)));
    w.guard(isNormal.and(exponent.high.magnitude().atMost(w.real(1000))));
    return exp2(exponent);
  }

  private Pair log2(Real x) {
    var parts = Logarithms.parts(w, x);
    var artanh = artanh(parts.m());
    var twoByLn2 = new Pair(w.real(0x1.71547652b82fep+1), w.real(0x1.777d0ffda0d24p-55));
    var fraction = product(artanh, twoByLn2);
    return sum(parts.k(), fraction.high, fraction.low);
  }

  /** Returns half of the logarithm. */
  private Pair artanh(Real m) {
    var f = m.minus(one);
    var g = m.plus(one);
    var lost = m.minus(g.minus(one));
    var inverse = one.over(g);
    var s = f.times(inverse);
    var minus = s.times(minusOne);
    var t = minus.times(lost, minus.times(g, f)).times(inverse);
    var z = s.times(s);
    var rest = s.plus(s).times(t, s.times(s, z.times(minusOne)));
    var third = new Pair(w.real(0x1.5555555555555p-2), w.real(0x1.5555555555555p-56));
    var second = product(new Pair(z, rest), third);
    var series = z.times(z).times(w.polynomial(z, SERIES, SERIES));
    var u = sum(second.high, series, second.low);
    var more = product(new Pair(s, t), u);
    return sum(s, more.high, more.low.plus(t));
  }

  /** Returns {@code a + b + low}, where {@code b} isn't larger than {@code a} unless that is 0. */
  private static Pair sum(Real a, Real b, Real low) {
    var high = a.plus(b);
    return new Pair(high, a.minus(high).plus(b).plus(low));
  }

  private Pair product(Real a, Pair b) {
    var high = a.times(b.high);
    return new Pair(high, a.times(b.low, a.times(b.high, high.times(minusOne))));
  }

  private Pair product(Pair a, Pair b) {
    var p = product(a.high, b);
    return new Pair(p.high, a.low.times(b.high, p.low));
  }

  private Real exp2(Pair x) {
    double shift = 1.5 * (1L << w.digits());
    var with = w.real(shift + w.bias());
    var rounded = x.high.plus(with);
    var n = rounded.bits().minus(w.bitsOf(shift));
    var r = sum(x.high.minus(rounded.minus(with)), x.low, w.real(0));
    var ln2 = new Pair(w.real(0x1.62e42fefa39efp-1), w.real(0x1.abc9e3b39803fp-56));
    var main = product(r, ln2);
    var square = r.high.times(r.high);
    var small = square.times(w.polynomial(r.high, Exponentials.EXP2_64, SERIES), main.low);
    var y = sum(one, main.high, small);
    return y.high.plus(y.low).times(n.left(w.digits()).real());
  }
}
