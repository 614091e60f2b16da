package dev.kenaz.ad;

import static dev.kenaz.ad.ScalarDerivatives.lit;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.UnaryOp;

/**
 * Computes the logarithmic derivative of the gamma function by core code, which can be
 * differentiated again. For z ≥ 0 it is found by the recurrence ψ(z) = ψ(z + 8) - Σ 1/(z + k) and
 * the asymptotic series at z + 8; for negative x by reflection, ψ(x) = ψ(1 - x) - π / tan(πx). It
 * is accurate to about 1e-14 relative to max(1, |ψ|).
 */
final class Digamma {
  private static final int SHIFT = 8;

  /** These are the coefficients of z^-2, z^-4, … in ψ(z) - ln z + 1/(2z): -B(2k) / 2k. */
  private static final double[] SERIES = {
    -1 / 12.0, 1 / 120.0, -1 / 252.0, 1 / 240.0, -1 / 132.0, 691 / 32760.0, -1 / 12.0
  };

  private Digamma() {}

  static Atom of(Builder b, Atom x) {
    var negative = b.compare(CompareOp.LT, x, lit(x, 0));
    var z = b.choose(negative, b.sub(lit(x, 1), x), x);
    var psi = positive(b, z);
    var pi = lit(x, Math.PI);
    var reflected = b.sub(psi, b.div(pi, b.unary(UnaryOp.TAN, b.mul(pi, x))));
    return b.choose(negative, reflected, psi);
  }

  private static Atom positive(Builder b, Atom z) {
    var sum = b.div(lit(z, 1), z);
    for (int k = 1; k < SHIFT; k++) {
      sum = b.add(sum, b.div(lit(z, 1), b.add(z, lit(z, k))));
    }
    var w = b.add(z, lit(z, SHIFT));
    var inverse = b.div(lit(z, 1), w);
    var square = b.mul(inverse, inverse);
    var tail = lit(z, SERIES[SERIES.length - 1]);
    for (int k = SERIES.length - 2; k >= 0; k--) {
      tail = b.add(b.mul(tail, square), lit(z, SERIES[k]));
    }
    var main = b.sub(b.unary(UnaryOp.LOG, w), b.mul(lit(z, 0.5), inverse));
    return b.sub(b.add(main, b.mul(tail, square)), sum);
  }
}
