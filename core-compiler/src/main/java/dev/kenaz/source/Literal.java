package dev.kenaz.source;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/** A literal of a primitive type; never negative. Whether it fits its type is for the checker. */
public sealed interface Literal {
  /**
   * Decimal, hexadecimal or binary digits without a point or an exponent.
   *
   * @param suffix the primitive type written after it, possibly a floating-point one ({@code 2f32})
   */
  record Int(BigInteger value, Optional<String> suffix) implements Literal {}

  /**
   * Has a point or an exponent.
   *
   * @param value exactly what is written; to be rounded once, to the type it turns out to have
   * @param suffix {@code f16}, {@code f32} or {@code f64} if written
   */
  record Float(BigDecimal value, Optional<String> suffix) implements Literal {}

  /**
   * {@code 'c'}; an integer of whichever type is asked of it, by default {@code u8} where it fits,
   * else {@code i32}.
   */
  record Char(int codePoint) implements Literal {}

  record Bool(boolean value) implements Literal {}
}
