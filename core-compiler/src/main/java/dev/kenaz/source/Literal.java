package dev.kenaz.source;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/**
 * This is a literal of a primitive type, which is never negative. The checker finds out whether it
 * fits its type.
 */
public sealed interface Literal {
  /**
   * An integer: decimal, hexadecimal or binary digits without a point or an exponent.
   *
   * @param suffix the primitive type that is written after it, which may be one of floats ({@code
   *     2f32})
   */
  record Int(BigInteger value, Optional<String> suffix) implements Literal {}

  /**
   * A number with a point or an exponent.
   *
   * @param value exactly what is written; it is rounded once, when its type is known
   * @param suffix {@code f16}, {@code f32} or {@code f64}, if it is written
   */
  record Float(BigDecimal value, Optional<String> suffix) implements Literal {}

  /**
   * A character, {@code 'c'}. It is an integer of the type that its use demands, by default {@code
   * u8} where it fits, else {@code i32}.
   */
  record Char(int codePoint) implements Literal {}

  record Bool(boolean value) implements Literal {}
}
