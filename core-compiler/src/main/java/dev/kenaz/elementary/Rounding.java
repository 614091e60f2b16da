package dev.kenaz.elementary;

import dev.kenaz.elementary.Writer.Real;
import dev.kenaz.value.Prim;

/**
 * Writes roundings to integers, and signs.
 *
 * <p>A magnitude below {@code 2^52} (for f64) is rounded to the nearest integer by adding that
 * number and subtracting it again; a larger one is an integer. If it must not grow, and has, the
 * integer is the one before. The result gets the argument's sign, which a zero has too.
 */
final class Rounding {
  private final Writer w;
  private final Real x;
  private final Real magnitude;
  private final Real nearest;

  private Rounding(Prim prim) {
    w = new Writer(prim);
    x = w.argument(0);
    magnitude = x.magnitude();
    var shift = w.real((double) (1L << w.digits()));
    nearest = magnitude.plus(shift).minus(shift);
  }

  static Formula round(Prim prim) {
    var r = new Rounding(prim);
    return r.result(r.nearest);
  }

  static Formula trunc(Prim prim) {
    var r = new Rounding(prim);
    return r.result(r.below());
  }

  static Formula floor(Prim prim) {
    var r = new Rounding(prim);
    return r.result(r.x.less(r.w.real(0)).choose(r.above(), r.below()));
  }

  static Formula ceil(Prim prim) {
    var r = new Rounding(prim);
    return r.result(r.x.less(r.w.real(0)).choose(r.below(), r.above()));
  }

  static Formula sign(Prim prim) {
    var w = new Writer(prim);
    var x = w.argument(0);
    var zero = w.real(0);
    return w.formula(x.less(zero).choose(w.real(-1), zero.less(x).choose(w.real(1), x)));
  }

  private Real below() {
    return magnitude.less(nearest).choose(nearest.minus(w.real(1)), nearest);
  }

  private Real above() {
    return nearest.less(magnitude).choose(nearest.plus(w.real(1)), nearest);
  }

  /** Writes the magnitude with the argument's sign; what is no number or large stays as it is. */
  private Formula result(Real rounded) {
    var small = magnitude.less(w.real((double) (1L << w.digits())));
    return w.formula(small.choose(rounded.withSignOf(x), x));
  }
}
