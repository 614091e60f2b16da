package dev.kenaz.dataset;

import com.fasterxml.jackson.core.io.NumberInput;
import dev.kenaz.value.Prim;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads the text of one CSV field as a number. Digits that stand for more than the type's largest
 * number are none: who writes 1e400 doesn't mean infinity.
 */
public final class CsvField {
  private CsvField() {}

  /** Returns the number's bits in normal form; nothing if the text is no such number. */
  public static OptionalLong parse(String text, Prim type) {
    try {
      return switch (type) {
        case BOOL -> bool(text);
        case U64 -> OptionalLong.of(Long.parseUnsignedLong(text));
        case I8, I16, I32, I64, U8, U16, U32 -> integer(Long.parseLong(text), type);
        case F16, F32, F64 -> finite(text, type);
      };
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  private static OptionalLong bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1" -> OptionalLong.of(1);
      case "false", "0" -> OptionalLong.of(0);
      default -> OptionalLong.empty();
    };
  }

  private static OptionalLong integer(long x, Prim type) {
    return type.normalise(x) == x ? OptionalLong.of(x) : OptionalLong.empty();
  }

  /** Whether the text is written as a real number, however large. */
  static boolean isReal(String text) {
    try {
      return real(text, Prim.F64).isPresent();
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static OptionalLong finite(String text, Prim type) {
    var bits = real(text, type);
    boolean digits = bits.isPresent() && Character.isDigit(text.charAt(text.length() - 1));
    return digits && Double.isInfinite(type.toDouble(bits.getAsLong()))
        ? OptionalLong.empty()
        : bits;
  }

  private static OptionalLong real(String text, Prim type) {
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    char last = text.charAt(text.length() - 1);
    boolean hexadecimal = text.indexOf('x') >= 0 || text.indexOf('X') >= 0;
    if ((Character.isDigit(last) || last == '.') && !hexadecimal) {
      // The text is rounded to float directly, not through double. Jackson's reader is twice as
      // fast as that of Java, and rounds the same.
      return OptionalLong.of(
          type == Prim.F32
              ? Float.floatToRawIntBits(NumberInput.parseFloat(text, true)) & 0xFFFF_FFFFL
              : type.fromDouble(NumberInput.parseDouble(text, true)));
    }
    // Java would also accept 1d and 0x1p0, which are no numbers in a data file.
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "nan" -> OptionalLong.of(type.fromDouble(Double.NaN));
      case "inf", "+inf", "infinity", "+infinity" ->
          OptionalLong.of(type.fromDouble(Double.POSITIVE_INFINITY));
      case "-inf", "-infinity" -> OptionalLong.of(type.fromDouble(Double.NEGATIVE_INFINITY));
      default -> OptionalLong.empty();
    };
  }

  /**
   * Returns the narrowest of bool, i64 and f64 that holds what a text says; nothing if none does.
   */
  static Optional<Prim> narrowest(String text) {
    for (var p : new Prim[] {Prim.BOOL, Prim.I64, Prim.F64}) {
      boolean word = p != Prim.BOOL || Character.isLetter(text.charAt(0));
      if (word && (p == Prim.F64 ? isReal(text) : parse(text, p).isPresent())) {
        return Optional.of(p);
      }
    }
    return Optional.empty();
  }
}
