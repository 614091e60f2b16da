package dev.kenaz.simulate;

/** Computes a scalar of a lane. The result is in normal form. */
@FunctionalInterface
interface Eval {
  long of(Warp warp, int lane);
}
