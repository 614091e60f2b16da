package dev.kenaz.dataset;

import dev.kenaz.value.Prim;
import java.util.OptionalLong;

/** Makes numbers of one type of numbers of another. */
final class NumberCast {
  private NumberCast() {}

  /**
   * Returns the bits of a number in another type. To floats it is rounded; to integers and truth
   * values nothing is returned unless it is one of them exactly.
   */
  static OptionalLong cast(long bits, Prim from, Prim to) {
    if (from == to) {
      return OptionalLong.of(bits);
    }
    if (to.isFloat()) {
      return OptionalLong.of(to.fromDouble(from.toDouble(bits)));
    }
    if (from.isFloat()) {
      return whole(from.toDouble(bits), to);
    }
    if (to == Prim.BOOL) {
      return bits == 0 || bits == 1 ? OptionalLong.of(bits) : OptionalLong.empty();
    }
    // The normal forms of all integers but large ones of u64 are the integers themselves.
    boolean large = from == Prim.U64 && bits < 0;
    boolean fits = to == Prim.U64 ? bits >= 0 : !large && to.normalise(bits) == bits;
    return fits ? OptionalLong.of(bits) : OptionalLong.empty();
  }

  private static OptionalLong whole(double x, Prim to) {
    if (x != Math.rint(x)) { // So is NaN.
      return OptionalLong.empty();
    }
    if (to == Prim.U64 && x >= 0x1p63 && x < 0x1p64) {
      return OptionalLong.of((long) (x - 0x1p63) ^ Long.MIN_VALUE);
    }
    return x >= -0x1p63 && x < 0x1p63 ? cast((long) x, Prim.I64, to) : OptionalLong.empty();
  }
}
