package dev.kenaz.value;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads one scalar token of the text format: integers with {@code 0x}, {@code 0b}, {@code _} and
 * suffixes, decimals, hexadecimal floats, {@code f32.nan}, {@code -f64.inf}, {@code true}, {@code
 * false}.
 *
 * <p>It is reused for every element of an array, so nothing is allocated on the common paths.
 */
final class NumberText {
  enum Fault {
    SYNTAX,
    RANGE;

    String message(NumberText token) {
      return switch (this) {
        case SYNTAX -> "\"" + token + "\" is no value";
        case RANGE -> "\"" + token + "\" doesn't fit " + token.prim;
      };
    }
  }

  private static final double[] POWERS_OF_TEN = new double[23];

  static {
    double p = 1;
    for (int i = 0; i < POWERS_OF_TEN.length; i++, p *= 10) {
      POWERS_OF_TEN[i] = p;
    }
  }

  private final Prim expected;
  private byte[] text = new byte[64];
  private int length;
  private int at;
  private boolean negative;
  private Prim prim;
  private long bits;

  NumberText(Prim expected) {
    this.expected = expected;
  }

  Prim prim() {
    return prim;
  }

  long bits() {
    return bits;
  }

  void start() {
    length = 0;
  }

  boolean isEmpty() {
    return length == 0;
  }

  /** Whether a byte belongs to this token. */
  boolean accepts(int c) {
    if (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' || c == '_') {
      return true;
    }
    if (c >= 'A' && c <= 'Z') {
      return true;
    }
    return (c == '-' || c == '+') && signMayFollow(c);
  }

  private boolean signMayFollow(int c) {
    if (length == 0) {
      return c == '-';
    }
    boolean hex = radixPrefix(text[0] == '-' ? 1 : 0) == 16;
    int last = text[length - 1] | 0x20;
    return last == (hex ? 'p' : 'e');
  }

  void append(int c) {
    if (length == text.length) {
      text = Arrays.copyOf(text, 2 * length);
    }
    text[length++] = (byte) c;
  }

  /** Sets {@link #prim} and {@link #bits}, or returns what is wrong. */
  Fault parse() {
    at = 0;
    negative = text[0] == '-';
    if (negative) {
      at++;
    }
    if (at == length) {
      return Fault.SYNTAX;
    }
    if (text[at] > '9' || text[at] < '0') {
      return word();
    }
    return switch (radixPrefix(at)) {
      case 16 -> integer(16, at + 2);
      case 2 -> integer(2, at + 2);
      default -> decimal();
    };
  }

  private int radixPrefix(int from) {
    if (length < from + 2 || text[from] != '0') {
      return 10;
    }
    return switch (text[from + 1]) {
      case 'x', 'X' -> 16;
      case 'b', 'B' -> 2;
      default -> 10;
    };
  }

  private Fault word() {
    var word = new String(text, at, length - at, StandardCharsets.ISO_8859_1);
    if (word.equals("true") || word.equals("false")) {
      prim = Prim.BOOL;
      bits = word.equals("true") ? 1 : 0;
      return negative ? Fault.SYNTAX : null;
    }
    int dot = word.indexOf('.');
    var type = Prim.named(dot < 0 ? "" : word.substring(0, dot)).filter(Prim::isFloat);
    var kind = word.substring(dot + 1);
    if (type.isEmpty() || !kind.equals("nan") && !kind.equals("inf")) {
      return Fault.SYNTAX;
    }
    prim = type.get();
    double x = kind.equals("nan") ? Double.NaN : Double.POSITIVE_INFINITY;
    bits = prim.fromDouble(negative ? -x : x);
    return null;
  }

  /** Reads decimal digits, then perhaps a fraction and an exponent, then perhaps a suffix. */
  private Fault decimal() {
    int start = at;
    long mantissa = 0;
    int digits = 0;
    int scale = 0;
    boolean fraction = false;
    int i = at;
    for (; i < length; i++) {
      int c = text[i];
      if (c >= '0' && c <= '9') {
        if (digits > 0 || c != '0') {
          digits++;
        }
        // If there are more than 19 digits, the slow paths read the text again.
        mantissa = digits <= 19 ? mantissa * 10 + (c - '0') : mantissa;
        scale -= fraction ? 1 : 0;
      } else if (c == '.' && !fraction) {
        fraction = true;
      } else if (c != '_') {
        break;
      }
    }
    int exponent = 0;
    boolean isFloat = fraction;
    if (i < length && (text[i] | 0x20) == 'e') {
      isFloat = true;
      int end = exponentEnd(i + 1);
      if (end < 0) {
        return Fault.SYNTAX;
      }
      exponent = exponentValue(i + 1, end);
      i = end;
    }
    var fault = suffix(i, isFloat);
    if (fault != null) {
      return fault;
    }
    if (!prim.isFloat()) {
      return digits <= 19 ? store(mantissa, 10) : storeLong(new BigInteger(digits(start, i)), 10);
    }
    decimalFloat(digits > 19 ? -1 : mantissa, scale + exponent, start, i);
    return null;
  }

  private int exponentEnd(int from) {
    int i = from < length && (text[from] == '-' || text[from] == '+') ? from + 1 : from;
    int first = i;
    while (i < length && (text[i] >= '0' && text[i] <= '9' || text[i] == '_')) {
      i++;
    }
    return i == first ? -1 : i;
  }

  private int exponentValue(int from, int end) {
    int e = 0;
    for (int i = from; i < end; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        e = Math.min(1_000_000, e * 10 + (text[i] - '0'));
      }
    }
    return text[from] == '-' ? -e : e;
  }

  /** Reads the suffix from {@code from} to the end of the token, and decides the type. */
  private Fault suffix(int from, boolean isFloat) {
    if (from == length) {
      boolean fits = expected != null && (expected.isFloat() || expected.isInteger() && !isFloat);
      prim = fits ? expected : isFloat ? Prim.F64 : Prim.I32;
      return null;
    }
    for (var p : SUFFIXES) {
      if (matches(from, p.text()) && (p.isFloat() || !isFloat)) {
        prim = p;
        return null;
      }
    }
    return Fault.SYNTAX;
  }

  private static final Prim[] SUFFIXES =
      Arrays.stream(Prim.values()).filter(p -> p != Prim.BOOL).toArray(Prim[]::new);

  private boolean matches(int from, String suffix) {
    if (length - from != suffix.length()) {
      return false;
    }
    for (int i = 0; i < suffix.length(); i++) {
      if (text[from + i] != suffix.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * @param first the index after {@code 0x} or {@code 0b}
   */
  private Fault integer(int radix, int first) {
    int i = first;
    int significant = 0;
    long magnitude = 0;
    int width = radix == 16 ? 4 : 1;
    for (; i < length; i++) {
      int digit = Character.digit(text[i], radix);
      if (digit >= 0) {
        significant += significant > 0 || digit > 0 ? width : 0;
        magnitude = magnitude << width | digit;
      } else if (text[i] != '_') {
        break;
      }
    }
    if (radix == 16 && i < length && (text[i] == '.' || (text[i] | 0x20) == 'p')) {
      return hexFloat(first);
    }
    var fault = i == first ? Fault.SYNTAX : suffix(i, false);
    if (fault != null) {
      return fault;
    }
    if (significant > 64 + width) {
      return Fault.RANGE;
    }
    return prim.isFloat()
        ? storeLong(new BigInteger(digits(first, i), radix), radix)
        : significant > 64
            ? storeLong(new BigInteger(digits(first, i), radix), radix)
            : store(magnitude, radix);
  }

  private String digits(int from, int to) {
    return new String(text, from, to - from, StandardCharsets.ISO_8859_1).replace("_", "");
  }

  private Fault storeLong(BigInteger magnitude, int radix) {
    if (prim.isFloat()) {
      double x = magnitude.doubleValue();
      bits = prim.fromDouble(negative ? -x : x);
      return null;
    }
    return magnitude.bitLength() > 64 ? Fault.RANGE : store(magnitude.longValue(), radix);
  }

  /**
   * Stores an integer of the given unsigned magnitude. Hexadecimal and binary numbers may use all
   * bits of their type, as a bit pattern; so may negative numbers of unsigned types.
   */
  private Fault store(long magnitude, int radix) {
    int width = 8 * prim.byteSize();
    boolean fitsWidth = width == 64 || magnitude >>> width == 0;
    boolean fits = fitsWidth;
    if (prim.isSigned() && radix == 10) {
      long largest = (1L << (width - 1)) - (negative ? 0 : 1);
      fits = Long.compareUnsigned(magnitude, largest) <= 0;
    }
    bits = prim.normalise(negative ? -magnitude : magnitude);
    return fits ? null : Fault.RANGE;
  }

  /**
   * Stores the float {@code mantissa * 10^exponent}. If the mantissa has at most 53 bits and the
   * power of ten is exact, one correctly rounded operation gives the nearest double (Clinger 1990).
   *
   * @param mantissa the mantissa; it is negative if it has too many digits
   */
  private void decimalFloat(long mantissa, int exponent, int from, int to) {
    long nearest = DecimalFloats.UNDECIDED;
    if (mantissa < 0 || prim == Prim.F16) {
      parseSlowly(digits(from, to));
      return;
    }
    if (prim == Prim.F32) {
      nearest = DecimalFloats.f32(mantissa, exponent);
    } else if (mantissa <= 1L << 53 && exponent >= -22 && exponent <= 22) {
      double m = mantissa;
      double x = exponent < 0 ? m / POWERS_OF_TEN[-exponent] : m * POWERS_OF_TEN[exponent];
      nearest = Double.doubleToRawLongBits(x);
    } else {
      nearest = DecimalFloats.f64(mantissa, exponent);
    }
    if (nearest == DecimalFloats.UNDECIDED) {
      parseSlowly(digits(from, to));
    } else {
      bits = negative ? nearest | 1L << (8 * prim.byteSize() - 1) : nearest;
    }
  }

  private void parseSlowly(String unsigned) {
    if (prim == Prim.F32) {
      float f = Float.parseFloat(unsigned);
      bits = Float.floatToRawIntBits(negative ? -f : f) & 0xFFFF_FFFFL;
    } else {
      double d = Double.parseDouble(unsigned);
      bits = prim.fromDouble(negative ? -d : d);
    }
  }

  /**
   * Reads a hexadecimal float such as {@code 0x1.8p3f32}. Java reads it, except for the suffix and
   * underscores.
   */
  private Fault hexFloat(int first) {
    int i = first;
    while (i < length && (Character.digit(text[i], 16) >= 0 || text[i] == '.' || text[i] == '_')) {
      i++;
    }
    int end = i < length && (text[i] | 0x20) == 'p' ? exponentEnd(i + 1) : -1;
    if (end < 0) {
      return Fault.SYNTAX;
    }
    var fault = suffix(end, true);
    if (fault != null) {
      return fault;
    }
    try {
      parseSlowly("0x" + digits(first, end));
      return null;
    } catch (NumberFormatException e) {
      return Fault.SYNTAX;
    }
  }

  @Override
  public String toString() {
    var shown = Math.min(length, 60);
    return new String(text, 0, shown, StandardCharsets.ISO_8859_1) + (shown < length ? "..." : "");
  }
}
