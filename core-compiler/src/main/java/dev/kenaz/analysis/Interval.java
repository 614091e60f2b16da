package dev.kenaz.analysis;

import dev.kenaz.value.Prim;

/**
 * These are the values that an integer may have, as an i64: from {@code low} to {@code high}, both
 * included.
 */
public record Interval(long low, long high) {
  public static final Interval ALL = new Interval(Long.MIN_VALUE, Long.MAX_VALUE);

  /**
   * Returns the values that the type has, as integers; for a type of 64 bits, and for floats, all
   * that an i64 has.
   */
  public static Interval of(Prim prim) {
    if (prim == Prim.BOOL) {
      return new Interval(0, 1);
    }
    if (!prim.isInteger() || prim.byteSize() == Long.BYTES) {
      return ALL;
    }
    int bits = 8 * prim.byteSize();
    return prim.isSigned()
        ? new Interval(-1L << (bits - 1), (1L << (bits - 1)) - 1)
        : new Interval(0, (1L << bits) - 1);
  }

  public Interval and(Interval other) {
    return new Interval(Math.max(low, other.low), Math.min(high, other.high));
  }
}
