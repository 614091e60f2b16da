package dev.kenaz.analysis;

import dev.kenaz.value.Prim;

/**
 * The values that an integer may have, as an i64: from {@code low} to {@code high}, both included.
 */
public record Interval(long low, long high) {
  public static final Interval ALL = new Interval(Long.MIN_VALUE, Long.MAX_VALUE);

  /**
   * Returns the values that the type has; for a type of 64 bits, or one that is no integer, all
   * that an i64 has.
   */
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
   * Returns the interval of the sum of this integer and a multiple of the other.
   *
   * @throws ArithmeticException if the sum may be one that an i64 doesn't hold
   */
  public Interval plus(Interval other, long factor) {
    long x = Math.multiplyExact(factor, factor > 0 ? other.low : other.high);
    long y = Math.multiplyExact(factor, factor > 0 ? other.high : other.low);
    return new Interval(Math.addExact(low, x), Math.addExact(high, y));
  }
}
