package dev.kenaz.source;

/** Reads and writes the escapes in strings and character literals. */
final class Escapes {
  private static final String LETTERS = "abfnrtv\\\"'";
  private static final String MEANT = "\u0007\b\f\n\r\t\u000b\\\"'";
  private static final int HIGHEST = Character.MAX_CODE_POINT;

  private Escapes() {}

  /** Returns the offset of the first backslash that begins no escape; -1 if there is none. */
  static int firstInvalid(String text, int from, int to) {
    int i = from;
    while (i < to) {
      if (text.charAt(i) != '\\') {
        i++;
        continue;
      }
      int end = endOfEscape(text, i, to);
      if (end < 0) {
        return i;
      }
      i = end;
    }
    return -1;
  }

  /** Returns what the text between two offsets stands for. Every escape in it must be valid. */
  static String decode(String text, int from, int to) {
    var out = new StringBuilder();
    int i = from;
    while (i < to) {
      char c = text.charAt(i);
      if (c != '\\') {
        out.append(c);
        i++;
        continue;
      }
      int end = endOfEscape(text, i, to);
      char letter = text.charAt(i + 1);
      int simple = LETTERS.indexOf(letter);
      if (simple >= 0) {
        out.append(MEANT.charAt(simple));
      } else if (letter != '&') {
        out.appendCodePoint(number(text, i, end));
      }
      i = end;
    }
    return out.toString();
  }

  /** Returns the end of an escape that begins at a backslash; -1 if it is no escape. */
  private static int endOfEscape(String text, int backslash, int to) {
    if (backslash + 1 >= to) {
      return -1;
    }
    char letter = text.charAt(backslash + 1);
    if (LETTERS.indexOf(letter) >= 0 || letter == '&') {
      return backslash + 2;
    }
    int radix = radix(letter);
    int first = backslash + (radix == 10 ? 1 : 2);
    int end = first;
    while (end < to && end < first + 8 && Character.digit(text.charAt(end), radix) >= 0) {
      end++;
    }
    return end > first && number(text, backslash, end) <= HIGHEST ? end : -1;
  }

  private static int number(String text, int backslash, int end) {
    int radix = radix(text.charAt(backslash + 1));
    long value = 0;
    for (int i = backslash + (radix == 10 ? 1 : 2); i < end; i++) {
      value = Math.min(value * radix + Character.digit(text.charAt(i), radix), HIGHEST + 1L);
    }
    return (int) value;
  }

  private static int radix(char letter) {
    return letter == 'x' ? 16 : letter == 'o' ? 8 : 10;
  }

  /** Returns the text as it may stand between quotes. */
  static String encode(String text) {
    var out = new StringBuilder();
    text.codePoints().forEach(c -> encode(c, out));
    return out.toString();
  }

  private static void encode(int c, StringBuilder out) {
    int simple = c < 128 ? MEANT.indexOf(c) : -1;
    if (simple >= 0) {
      out.append('\\').append(LETTERS.charAt(simple));
    } else if (c < ' ' || c == 127 || Character.getType(c) == Character.SURROGATE) {
      // The empty escape keeps a digit that follows from being read as part of this one.
      out.append("\\x").append(Integer.toHexString(c)).append("\\&");
    } else {
      out.appendCodePoint(c);
    }
  }
}
