package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;

/**
 * This is the derivative of a scalar function by one argument, as the linear map that it is. It
 * takes a tangent of the argument to its part of the result's tangent and, being scalar and so its
 * own transpose, an adjoint of the result to its part of the argument's adjoint. Code for the
 * factor is emitted only when the map is applied.
 */
@FunctionalInterface
interface LinearMap {
  /** The result doesn't depend on the argument, or is piecewise constant in it. */
  LinearMap ZERO = (_, v) -> Atom.of(v.type().elemPrim(), 0);

  LinearMap IDENTITY = (_, v) -> v;
  LinearMap MINUS = Builder::neg;

  Atom apply(Builder b, Atom v);

  default boolean isZero() {
    return this == ZERO;
  }
}
