package dev.kenaz.elementary;

import dev.kenaz.elementary.Writer.Real;
import dev.kenaz.elementary.Writer.Whole;
import dev.kenaz.value.Prim;

/**
 * Writes exponentials and the hyperbolic tangent.
 *
 * <p><b>Reduction.</b> With the integer {@code n} next to {@code x / ln 2}, and {@code r = x - n ln
 * 2}, {@code exp x = 2^n exp r} and {@code |r| <= ln 2 / 2}. Adding {@code 1.5 * 2^52} (for f64)
 * rounds to an integer, and leaves it in the last bits of the sum. {@code ln 2} is the sum of two
 * constants; the first one has so few bits that {@code x} minus {@code n} times it is exact.
 *
 * <p><b>Polynomial.</b> {@code exp r = 1 + r + r^2 q(r)}, where {@code q} interpolates {@code (exp
 * r - 1 - r) / r^2} at Chebyshev's points. What the rounding of {@code 1 + r} loses is exact; it is
 * added to the last term, which is at most 0.07, so that its error counts little.
 *
 * <p><b>Other bases.</b> {@code 2^x} and {@code 10^x} are the same, with the base's logarithm
 * {@code L} times {@code r} in place of {@code r}, and polynomials for {@code (exp(L r) - 1 - L r)
 * / r^2}. {@code L} is a sum of two floats.
 *
 * <p><b>Scaling.</b> The exponent of {@code 2^n} ranges over more than a float has, as a result may
 * be subnormal. So there are two factors with half of {@code n} each: the first product is exact,
 * and the second one rounds if the result is subnormal.
 *
 * <p><b>Minus one.</b> {@code (exp x - 1) / 2 = (s - 1/2) + s r + s r^2 q(r)} with {@code s =
 * 2^(n-1)}. For {@code n = 0} the first term is zero, and otherwise it is larger than the second,
 * so a sum of the two and what its rounding loses are exact; so is what that of the first one
 * loses. {@code r} is a sum of two floats here. The half is there because {@code 2^1024} is no
 * float.
 *
 * <p><b>Tangent.</b> With {@code t = (exp(-2|x|) - 1) / 2}, which is from -1/2 to 0, {@code tanh
 * |x| = -t / (1 + t)}. All are sums of two floats; the quotient is corrected once by its remainder.
 */
final class Exponentials {
  private static final double[] EXP_64 = {
    0x1.0000000000001p-1,
    0x1.5555555555556p-3,
    0x1.5555555553d63p-5,
    0x1.11111111109b3p-7,
    0x1.6c16c1788bd90p-10,
    0x1.a01a01a7c41d5p-13,
    0x1.a019b90d2ae7ap-16,
    0x1.71de0dae63bb3p-19,
    0x1.289185613a3d6p-22,
    0x1.af38a9b0ec855p-26
  };
  private static final double[] EXPM1_64 = {
    0x1.0000000000000p-1,
    0x1.5555555555557p-3,
    0x1.5555555555556p-5,
    0x1.11111111100dcp-7,
    0x1.6c16c16c162d4p-10,
    0x1.a01a01abe7fe1p-13,
    0x1.a01a01a6d889cp-16,
    0x1.71de0231960ebp-19,
    0x1.27e4db646b17ep-22,
    0x1.af4de97ca4194p-26,
    0x1.1f730349868cep-29
  };
  private static final double[] EXP_32 = {
    0x1.0000000000000p-1,
    0x1.5555560000000p-3,
    0x1.5554ea0000000p-5,
    0x1.1110e00000000p-7,
    0x1.6d43240000000p-10,
    0x1.a124f20000000p-13
  };
  static final double[] EXP2_64 = {
    0x1.ebfbdff82c590p-3,
    0x1.c6b08d704a0c0p-5,
    0x1.3b2ab6fba385ep-7,
    0x1.5d87fe78a5dc5p-10,
    0x1.43091303789cep-13,
    0x1.ffcbfc61f73e9p-17,
    0x1.62bfe45fd2c33p-20,
    0x1.b525087767a42p-24,
    0x1.e5e9f82e9f93bp-28,
    0x1.e9bbe001e2191p-32
  };
  private static final double[] EXP2_32 = {
    0x1.ebfbe0p-3, 0x1.c6afeep-5, 0x1.3b2a80p-7, 0x1.5ec86ap-10, 0x1.43e71ap-13
  };
  private static final double[] EXP10_64 = {
    0x1.53524c73cea6ap+1,
    0x1.0470591de2ca5p+1,
    0x1.2bd7609fd83bbp+0,
    0x1.1429ffd1d4603p-1,
    0x1.a7ed7092fdc4ep-3,
    0x1.16e4dfc856c52p-4,
    0x1.4116785f3f8ebp-6,
    0x1.48979cb22f0a8p-8,
    0x1.2f55a4cf5cae2p-10,
    0x1.fbc9dc49f4bdap-13
  };
  private static final double[] EXP10_32 = {
    0x1.53524cp+1, 0x1.046ffep+1, 0x1.2bd72cp+0, 0x1.152734p-1, 0x1.a910dap-3
  };

  private final Writer w;
  private final Real x;

  private Exponentials(Prim prim) {
    w = new Writer(prim);
    x = w.argument(0);
  }

  static Formula exp(Prim prim) {
    var e = new Exponentials(prim);
    return e.w.formula(e.exp());
  }

  static Formula exp2(Prim prim) {
    var e = new Exponentials(prim);
    return e.w.formula(e.exp2());
  }

  static Formula exp10(Prim prim) {
    var e = new Exponentials(prim);
    return e.w.formula(e.exp10());
  }

  static Formula expm1(Prim prim) {
    var e = new Exponentials(prim);
    return e.w.formula(e.expm1());
  }

  static Formula tanh(Prim prim) {
    var e = new Exponentials(prim);
    return e.w.formula(e.tanh());
  }

  /** A number next to an integer, as a float, and the integer's bits plus some power's exponent. */
  private record Rounded(Real number, Whole exponent) {}

  /** Rounds {@code x * factor} to an integer; {@code more} is added to its bits. */
  private Rounded round(Real x, Real factor, int more) {
    double shift = 1.5 * (1L << w.digits());
    var with = w.real(shift + more);
    var sum = x.times(factor, with);
    return new Rounded(sum.minus(with), sum.bits().minus(w.bitsOf(shift)));
  }

  private Real inverseOfLn2() {
    return w.real(0x1.71547652b82fep+0, 0x1.715476p+0f);
  }

  private Real exp() {
    var n = round(x, inverseOfLn2(), w.bias());
    var near = n.number.times(w.real(-0x1.62e42fefa3800p-1, -0x1.62e4p-1f), x);
    var r = n.number.times(w.real(-0x1.ef35793c76730p-45, -0x1.7f7d1cp-20f), near);
    var y = sum(r, r.times(r).times(w.polynomial(r, EXP_64, EXP_32)));
    w.shortcut(x.magnitude().atMost(w.real(708, 87)), y.times(power(n.exponent)));
    return scaled(y, n, w.real(-746, -104), w.real(710, 89));
  }

  private Real exp2() {
    var n = round(x, w.real(1), w.bias());
    var r = x.minus(n.number);
    var q = w.polynomial(r, EXP2_64, EXP2_32);
    var ln2 = w.real(0x1.62e42fefa39efp-1, 0x1.62e430p-1f);
    var rest = w.real(0x1.abc9e3b39803fp-56, -0x1.05c610p-29f);
    return scaled(
        sum(r.times(ln2), small(r, ln2, rest, q)), n, w.real(-1076, -151), w.real(1024.5, 128.5f));
  }

  private Real exp10() {
    var n = round(x, w.real(0x1.a934f0979a371p+1, 0x1.a934f0p+1f), w.bias());
    var near = n.number.times(w.real(-0x1.34413509f7800p-2, -0x1.344p-2f), x);
    var minusLow = w.real(-0x1.fef311f12b358p-46, -0x1.3509f8p-18f);
    var r = n.number.times(minusLow, near);
    var lost = n.number.times(minusLow, near.minus(r));
    var q = w.polynomial(r, EXP10_64, EXP10_32);
    var ln10 = w.real(0x1.26bb1bbb55516p+1, 0x1.26bb1cp+1f);
    var rest = w.real(-0x1.f48ad494ea3e9p-53, -0x1.12aabap-25f);
    var small = lost.times(ln10, small(r, ln10, rest, q));
    return scaled(sum(r.times(ln10), small), n, w.real(-324, -45.5f), w.real(308.5, 38.625f));
  }

  /** Returns what {@code r} times a logarithm, a sum of two floats, and the square have beside. */
  private Real small(Real r, Real logarithm, Real rest, Real q) {
    var lost = r.times(logarithm, r.times(logarithm).times(w.real(-1)));
    return r.times(r).times(q, r.times(rest, lost));
  }

  /** Returns {@code 1 + main + small}. */
  private Real sum(Real main, Real small) {
    var one = w.real(1);
    var sum = one.plus(main);
    return sum.plus(one.minus(sum).plus(main).plus(small));
  }

  /** Returns {@code 2^n}, given {@code n} plus the bias. */
  private Real power(Whole exponent) {
    return exponent.left(w.digits()).real();
  }

  /**
   * Returns {@code 2^n y}, for {@code y} near one. All results below the least argument are zero,
   * and all above the greatest one infinite. The integer has the bias added.
   */
  private Real scaled(Real y, Rounded n, Real least, Real greatest) {
    var bias = w.whole(w.bias());
    var half = n.exponent.plus(bias).right(1);
    var first = power(half);
    var second = power(n.exponent.plus(bias).minus(half));
    var z = x.less(least).choose(w.real(0), y.times(first).times(second));
    return greatest.less(x).choose(w.real(Double.POSITIVE_INFINITY), z);
  }

  /** A sum of two floats. */
  private record Pair(Real high, Real low) {}

  /**
   * Returns half of {@code exp x - 1}, for arguments from -60 to as far as exp is finite.
   *
   * @param isLarge whether {@code s} may be so large that 1/2 is lost next to it
   */
  private Pair halfOfExpm1(Real x, boolean isLarge) {
    var n = round(x, inverseOfLn2(), w.bias() - 1);
    var near = n.number.times(w.real(-0x1.62e42fefa3800p-1, -0x1.62e4p-1f), x);
    var minusLow = w.real(-0x1.ef35793c76730p-45, -0x1.7f7d1cp-20f);
    var r = n.number.times(minusLow, near);
    var rest = n.number.times(minusLow, near.minus(r));
    var tail = r.times(r).times(w.polynomial(r, EXPM1_64, EXP_32), rest);
    var s = power(n.exponent);
    var half = w.real(0.5);
    var first = s.minus(half);
    var high = s.times(r, first);
    var lost = s.times(r, first.minus(high)).plus(s.minus(first.plus(half)));
    if (isLarge) {
      lost = lost.plus(s.minus(first).minus(half));
    }
    return new Pair(high, s.times(tail, lost));
  }

  private Real expm1() {
    var low = w.real(-60);
    var high = w.real(710, 89);
    var inside = high.less(x).choose(high, x.less(low).choose(low, x));
    var half = halfOfExpm1(inside, true);
    var y = half.high.plus(half.low).times(w.real(2));
    // It is x for small numbers, and then -0 and subnormal ones stay what they are.
    return x.magnitude().less(w.real(0x1p-54, 0x1p-25f)).choose(x, y);
  }

  private Real tanh() {
    var a = x.magnitude();
    var most = w.real(22, 11);
    var t = halfOfExpm1(most.less(a).choose(most, a).times(w.real(-2)), false);
    var high = t.high.plus(t.low);
    var low = t.high.minus(high).plus(t.low);
    var one = w.real(1);
    var d = one.plus(high);
    var more = one.minus(d).plus(high).plus(low);
    var minusInverse = w.real(-1).over(d);
    var y = high.times(minusInverse);
    var remainder = y.times(d, high).plus(low);
    var all = y.times(more, remainder);
    return all.times(minusInverse, y).magnitude().withSignOf(x);
  }
}
