package dev.kenaz.source;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;

/** Turns the text of numbers, which the lexer has found well formed, into their values. */
final class Literals {
  private Literals() {}

  static Literal.Int integer(String text) {
    var digits = text.replace("_", "").toLowerCase(Locale.ROOT);
    int radix = digits.startsWith("0x") ? 16 : digits.startsWith("0b") ? 2 : 10;
    int from = radix == 10 ? 0 : 2;
    int to = from;
    while (to < digits.length() && Character.digit(digits.charAt(to), radix) >= 0) {
      to++;
    }
    return new Literal.Int(new BigInteger(digits.substring(from, to), radix), suffix(digits, to));
  }

  static Literal.Float floating(String text) {
    var digits = text.replace("_", "").toLowerCase(Locale.ROOT);
    if (digits.startsWith("0x")) {
      return hexadecimal(digits);
    }
    int to = Math.max(digits.indexOf('f'), 0);
    int end = to == 0 ? digits.length() : to;
    return new Literal.Float(new BigDecimal(digits.substring(0, end)), suffix(digits, end));
  }

  private static Literal.Float hexadecimal(String digits) {
    int p = digits.indexOf('p');
    int dot = digits.indexOf('.');
    var whole = digits.substring(2, dot < 0 ? p : dot);
    var fraction = dot < 0 ? "" : digits.substring(dot + 1, p);
    int suffixAt = digits.indexOf('f', p);
    int end = suffixAt < 0 ? digits.length() : suffixAt;
    int exponent = Integer.parseInt(digits.substring(p + 1, end)) - 4 * fraction.length();
    var mantissa = new BigDecimal(new BigInteger(whole + fraction, 16));
    var power = new BigDecimal(BigInteger.TWO.pow(Math.abs(exponent)));
    // Dividing by a power of two is exact.
    var value = exponent < 0 ? mantissa.divide(power) : mantissa.multiply(power);
    return new Literal.Float(value, suffix(digits, end));
  }

  private static Optional<String> suffix(String digits, int from) {
    return from == digits.length() ? Optional.empty() : Optional.of(digits.substring(from));
  }

  /** Returns the literal as source text. */
  static String show(Literal literal) {
    return switch (literal) {
      case Literal.Int(var value, var suffix) -> value + suffix.orElse("");
      case Literal.Float(var value, var suffix) -> floatText(value) + suffix.orElse("");
      case Literal.Char(int c) -> "'" + Escapes.encode(Character.toString(c)) + "'";
      case Literal.Bool(boolean value) -> Boolean.toString(value);
    };
  }

  /**
   * Prints a float with a point or an exponent, so that it is read again as a float of the same
   * scale.
   */
  private static String floatText(BigDecimal value) {
    var text = value.toString();
    return text.indexOf('.') < 0 && text.indexOf('E') < 0 ? text + "e0" : text;
  }
}
