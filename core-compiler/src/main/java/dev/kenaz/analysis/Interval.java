package dev.kenaz.analysis;

import dev.kenaz.value.Prim;

/** From where to where an integer runs, as an i64; both ends belong to it. */
public record Interval(long low, long high) {
  public static final Interval ALL = new Interval(Long.MIN_VALUE, Long.MAX_VALUE);

  /** All values of the type; of 64 bits, and of what is no integer, everything. */
  public static Interval of(Prim prim) {
    if (!prim.isInteger() || prim.byteSize() == Long.BYTES) {
      return ALL;
    }
    int bits = 8 * prim.byteSize();
    return prim.isSigned()
        ? new Interval(-1L << (bits - 1), (1L << (bits - 1)) - 1)
        : new Interval(0, (1L << bits) - 1);
  }

  public static Interval of(long value) {
    return new Interval(value, value);
  }

  public Interval and(Interval other) {
    return new Interval(Math.max(low, other.low), Math.min(high, other.high));
  }

  /**
   * Of the sum with the other's multiple.
   *
   * @throws ArithmeticException if it may be outside of what an i64 holds
   */
  public Interval plus(Interval other, long factor) {
    long x = Math.multiplyExact(factor, factor > 0 ? other.low : other.high);
    long y = Math.multiplyExact(factor, factor > 0 ? other.high : other.low);
    return new Interval(Math.addExact(low, x), Math.addExact(high, y));
  }
}
