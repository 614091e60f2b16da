package dev.kenaz.elementary;

import dev.kenaz.elementary.Writer.Real;
import dev.kenaz.elementary.Writer.Whole;
import dev.kenaz.value.Prim;

/**
 * Writes sine and cosine.
 *
 * <p><b>Reduction.</b> With the integer {@code n} next to {@code 2 x / pi}, {@code r = x - n pi/2}
 * is at most {@code pi/4} in size, and sine and cosine of {@code x} are one of those of {@code r},
 * by the last two bits of {@code n}. {@code pi/2} is the sum of three floats. {@code x} minus
 * {@code n} times the first one is exact with one fused multiplication: both are multiples of the
 * last digit that a float has next to {@code pi/2}, or of that of {@code x} if this is finer, and
 * their difference is below one. What the second product and its sum with that lose is exact as
 * well, so {@code r} is a sum of two floats with more than twice a float's digits together. For
 * large arguments three floats aren't enough; the formula doesn't hold for these.
 *
 * <p><b>Polynomials.</b> With {@code r = h + l}, {@code sin r = h + (h^3 S(h^2) + l (1 - h^2/2))}
 * and {@code cos r = 1 - h^2/2 + (h^4 C(h^2) - h l)}, where what the rounding of {@code 1 - h^2/2}
 * loses is exact. {@code S} and {@code C} interpolate at Chebyshev's points.
 */
final class Circular {
  private static final double[] SINE_64 = {
    -0x1.5555555555555p-3,
    0x1.1111111110bb2p-7,
    -0x1.a01a019e83816p-13,
    0x1.71de379654304p-19,
    -0x1.ae600aca92c64p-26,
    0x1.5e0b05bff20f2p-33
  };
  private static final double[] SINE_32 = {
    -0x1.555556p-3, 0x1.11110ep-7, -0x1.a013a8p-13, 0x1.6dbdeep-19
  };
  private static final double[] COSINE_64 = {
    0x1.5555555555555p-5,
    -0x1.6c16c16c16967p-10,
    0x1.a01a019f4e9b4p-16,
    -0x1.27e4fa17bf139p-22,
    0x1.1eeb68cd22f56p-29,
    -0x1.907d8f29fe831p-37
  };
  private static final double[] COSINE_32 = {0x1.555554p-5, -0x1.6c12d2p-10, 0x1.9bd880p-16};

  private final Writer w;
  private final Real x;
  private final Whole n;
  private final Real h;
  private final Real l;

  private Circular(Prim prim) {
    w = new Writer(prim);
    x = w.argument(0);
    var shift = w.real(1.5 * (1L << w.digits()));
    var sum = x.times(w.real(0x1.45f306dc9c883p-1, 0x1.45f306p-1f), shift);
    n = sum.bits();
    var number = sum.minus(shift);
    var r = number.times(w.real(-0x1.921fb54442d18p+0, -0x1.921fb6p+0f), x);
    var second = w.real(-0x1.1a62633145c07p-54, 0x1.777a5cp-25f);
    var product = number.times(second);
    h = r.plus(product);
    var part = h.minus(r);
    var lost = r.minus(h.minus(part)).plus(product.minus(part));
    var rest = lost.plus(number.times(second, product.times(w.real(-1))));
    l = number.times(w.real(0x1.f1976b7ed8fbcp-110, 0x1.ee59dap-50f), rest);
  }

  static Formula sin(Prim prim) {
    var c = new Circular(prim);
    var y = c.quadrant(c.n);
    // It is x for small numbers, and -0 stays what it is.
    var small = c.x.magnitude().less(c.w.real(0x1p-27, 0x1p-13f));
    return c.formula(small.choose(c.x, y));
  }

  static Formula cos(Prim prim) {
    var c = new Circular(prim);
    return c.formula(c.quadrant(c.n.plus(c.w.whole(1))));
  }

  private Formula formula(Real y) {
    w.guard(x.magnitude().atMost(w.real(0x1p30, 0x1p15f)));
    return w.formula(y);
  }

  private Real sine() {
    var z = h.times(h);
    var minus = l.times(w.real(-0.5));
    var low = minus.times(z, l);
    return h.plus(z.times(h).times(w.polynomial(z, SINE_64, SINE_32), low));
  }

  private Real cosine() {
    var z = h.times(h);
    var minusHalf = h.times(w.real(-0.5));
    var one = w.real(1);
    var main = minusHalf.times(h, one);
    var lost = minusHalf.times(h, one.minus(main));
    var minus = h.times(w.real(-1));
    var small = z.times(z).times(w.polynomial(z, COSINE_64, COSINE_32), minus.times(l));
    return main.plus(lost.plus(small));
  }

  /** Returns the sine of {@code r} plus so many right angles. */
  private Real quadrant(Whole n) {
    // The last bit becomes the number 2 or 0, and the one before it the sign.
    var odd = w.real(0).less(n.and(w.whole(1)).left(w.width() - 2).real());
    var sign = n.and(w.whole(2)).left(w.width() - 2);
    return odd.choose(cosine(), sine()).bits().xor(sign).real();
  }
}
