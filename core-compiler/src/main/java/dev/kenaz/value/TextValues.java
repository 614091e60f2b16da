package dev.kenaz.value;

import static dev.kenaz.error.ErrorCode.K6001;
import static dev.kenaz.error.ErrorCode.K6002;
import static dev.kenaz.error.ErrorCode.K6003;
import static dev.kenaz.error.ErrorCode.K6004;
import static dev.kenaz.error.ErrorCode.K6006;

import dev.kenaz.error.NearestName;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads one value in the text format. Arrays are read in a loop, so nesting costs no stack. */
final class TextValues {
  private static final int MAX_RANK = 255;
  private static final String LEVELS = "give all elements of an array equally many dimensions";

  private final ByteInput in;
  private final NumberText number;
  private Span place;

  /**
   * @param expected the type of numbers without a suffix; null for the format's own defaults
   */
  TextValues(ByteInput in, Prim expected) {
    this.in = in;
    this.number = new NumberText(expected);
  }

  /** Skips white space and comments. */
  static void skipSpace(ByteInput in) {
    while (true) {
      int c = in.peek();
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        in.skip();
      } else if (c == '-') {
        if (!skipComment(in)) {
          return;
        }
      } else {
        return;
      }
    }
  }

  /** Skips a comment that begins at this minus sign, or returns false and leaves the sign. */
  private static boolean skipComment(ByteInput in) {
    if (!in.peekIs('-', '-')) {
      return false;
    }
    int c = in.peek();
    while (c >= 0 && c != '\n') {
      in.skip();
      c = in.peek();
    }
    return true;
  }

  Value read() {
    skipSpace(in);
    place = in.here();
    return switch (in.peek()) {
      case '[' -> array();
      case '"' -> string();
      case 'e' -> empty();
      default -> {
        scalar();
        yield new ScalarValue(number.prim(), number.bits());
      }
    };
  }

  /** Reads a scalar into {@link #number}. */
  private void scalar() {
    place = in.here();
    number.start();
    int c = in.peek();
    while (number.accepts(c)) {
      number.append(c);
      in.skip();
      c = in.peek();
    }
    if (number.isEmpty()) {
      throw unexpected("a value");
    }
    var fault = number.parse();
    if (fault != null) {
      throw switch (fault) {
        case RANGE -> new UserError(K6002, place, fault.message(number));
        case SYNTAX ->
            new UserError(
                K6001,
                place,
                fault.message(number),
                "numbers are written as `42`, `-1.5f32` or `0x1fu8`, truth values as `true` and"
                    + " `false`");
      };
    }
  }

  /**
   * Reads an array. For each open bracket it counts how many elements there were, and how many
   * there must be.
   */
  private ArrayValue array() {
    var seen = new long[8];
    var sizes = new long[8];
    Arrays.fill(sizes, -1);
    int depth = 0;
    int rank = -1;
    ArrayBuilder out = null;
    do {
      skipSpace(in);
      int c = in.peek();
      if (c == '[' && depth != rank) {
        in.skip();
        if (depth == seen.length) {
          seen = Arrays.copyOf(seen, checkedRank(2 * depth));
          sizes = Arrays.copyOf(sizes, 2 * depth);
          Arrays.fill(sizes, depth, 2 * depth, -1);
        }
        seen[depth++] = 0;
        continue;
      }
      if (c == '"' && (rank < 0 || rank == depth + 1)) {
        rank = depth + 1;
        if (depth == sizes.length) {
          sizes = Arrays.copyOf(sizes, checkedRank(2 * depth));
          Arrays.fill(sizes, depth, 2 * depth, -1);
          seen = Arrays.copyOf(seen, 2 * depth);
        }
        out = stringRow(out, sizes, depth);
        seen[depth - 1]++;
        depth = closeRows(seen, sizes, depth);
        continue;
      }
      if (rank >= 0 && depth < rank && c != '[') {
        throw new UserError(K6003, in.here(), "expected a row, that is, '['", LEVELS);
      }
      out = element(out);
      rank = depth;
      seen[depth - 1]++;
      depth = closeRows(seen, sizes, depth);
    } while (depth > 0);
    return out.build(Arrays.copyOf(sizes, rank));
  }

  /** Reads a string where a row may stand, as the row of its bytes. */
  private ArrayBuilder stringRow(ArrayBuilder out, long[] sizes, int depth) {
    place = in.here();
    var at = place;
    var bytes = bytes();
    var builder = out == null ? new ArrayBuilder(Prim.U8) : out;
    if (builder.elem() != Prim.U8) {
      throw new UserError(
          K6004,
          at,
          "this row is a string, those before it are of type " + builder.elem(),
          "write all rows as strings, or all as numbers");
    }
    if (sizes[depth] < 0) {
      sizes[depth] = bytes.length;
    } else if (sizes[depth] != bytes.length) {
      throw new UserError(
          K6003,
          at,
          "this string has %s bytes, the rows before it have %s elements"
              .formatted(bytes.length, sizes[depth]));
    }
    for (byte b : bytes) {
      builder.add(b & 0xff);
    }
    return builder;
  }

  private int checkedRank(int rank) {
    if (rank > 2 * MAX_RANK) {
      throw new UserError(
          K6001,
          in.here(),
          "more than " + MAX_RANK + " dimensions",
          "give the array fewer dimensions");
    }
    return rank;
  }

  private ArrayBuilder element(ArrayBuilder out) {
    if (in.peek() == '[') {
      throw new UserError(
          K6003, in.here(), "expected a scalar, as the elements before it are", LEVELS);
    }
    if (in.peek() == ']') {
      throw new UserError(
          K6001, in.here(), "expected an element", "an empty array is written empty([0]i32)");
    }
    scalar();
    var builder = out == null ? new ArrayBuilder(number.prim()) : out;
    if (number.prim() != builder.elem()) {
      throw new UserError(
          K6004,
          place,
          "this element is of type " + number.prim() + ", those before it are " + builder.elem());
    }
    builder.add(number.bits());
    return builder;
  }

  /** Takes the closing brackets and the comma after an element, and returns the depth reached. */
  private int closeRows(long[] seen, long[] sizes, int from) {
    int depth = from;
    while (true) {
      skipSpace(in);
      int c = in.peek();
      if (c == ',') {
        in.skip();
        return depth;
      }
      if (c != ']') {
        throw unexpected("',' or ']'", "write commas between elements, `]` after the last");
      }
      depth--;
      if (sizes[depth] < 0) {
        sizes[depth] = seen[depth];
      } else if (sizes[depth] != seen[depth]) {
        throw new UserError(
            K6003,
            in.here(),
            "this row has " + seen[depth] + " elements, those before it have " + sizes[depth]);
      }
      in.skip();
      if (depth == 0) {
        return 0;
      }
      seen[depth - 1]++;
    }
  }

  /** Reads an empty array, such as {@code empty([0][2]i32)}. */
  private ArrayValue empty() {
    expectWord("empty");
    expect('(');
    var shape = new long[0];
    skipSpace(in);
    while (in.peek() == '[') {
      in.skip();
      shape = Arrays.copyOf(shape, shape.length + 1);
      shape[shape.length - 1] = dimension();
      expect(']');
      skipSpace(in);
    }
    place = in.here();
    var word = word();
    var prim = Prim.named(word);
    if (prim.isEmpty()) {
      throw new UserError(
          K6001,
          place,
          "unknown element type \"" + word + "\"",
          NearestName.hintOrFew(
              word, Arrays.stream(Prim.values()).map(Prim::text).toList(), "known are"));
    }
    expect(')');
    if (shape.length == 0 || Arrays.stream(shape).noneMatch(d -> d == 0)) {
      throw new UserError(
          K6001,
          place,
          "an empty array needs a dimension of size 0",
          "write an array that has elements as `[1, 2]`");
    }
    return ArrayValue.of(prim.get(), ArrayValue.allocate(prim.get(), 0), shape);
  }

  private long dimension() {
    skipSpace(in);
    place = in.here();
    var digits = word();
    try {
      return Long.parseUnsignedLong(digits.replace("_", "")) & Long.MAX_VALUE;
    } catch (NumberFormatException e) {
      throw new UserError(
          K6001, place, "\"" + digits + "\" is no size", "a size is a number, as `3`");
    }
  }

  private String word() {
    var out = new StringBuilder();
    int c = in.peek();
    while (c == '_' || c >= 0 && Character.isLetterOrDigit(c)) {
      out.append((char) c);
      in.skip();
      c = in.peek();
    }
    return out.toString();
  }

  private void expectWord(String expected) {
    var at = in.here();
    var word = word();
    if (!word.equals(expected)) {
      throw new UserError(K6001, at, "unknown word \"" + word + "\"");
    }
  }

  private void expect(char c) {
    skipSpace(in);
    if (in.peek() != c) {
      throw unexpected("'" + c + "'");
    }
    in.skip();
  }

  /** Reads a string literal as []u8: its bytes in UTF-8. */
  private ArrayValue string() {
    return ArrayValue.ofBytes(Prim.U8, bytes());
  }

  private byte[] bytes() {
    in.skip();
    var out = new ByteArrayOutputStream();
    while (true) {
      int c = in.next();
      switch (c) {
        case '"' -> {
          return out.toByteArray();
        }
        case -1, '\n' ->
            throw new UserError(
                K6006, place, "this string has no end", "close it with `\"` on its line");
        case '\\' -> out.writeBytes(escape());
        default -> out.write(c);
      }
    }
  }

  private byte[] escape() {
    var at = in.here();
    int c = in.next();
    int point =
        switch (c) {
          case 'n' -> '\n';
          case 't' -> '\t';
          case 'r' -> '\r';
          case 'a' -> 7;
          case 'b' -> '\b';
          case 'f' -> '\f';
          case 'v' -> 11;
          case '\\', '"', '\'' -> c;
          case 'x' -> codePoint(at, 16, 0);
          case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> codePoint(at, 10, c - '0');
          default ->
              throw new UserError(
                  K6001,
                  at,
                  "unknown escape sequence in a string",
                  "known are `\\n"
                      + " \\t \\r"
                      + " \\a \\b \\f \\v \\\\ \\\" \\'`, and code points as `\\65` or `\\x41`");
        };
    return Character.toString(point).getBytes(StandardCharsets.UTF_8);
  }

  private int codePoint(Span at, int radix, int first) {
    int point = first;
    while (Character.digit(in.peek(), radix) >= 0 && point <= Character.MAX_CODE_POINT) {
      point = point * radix + Character.digit(in.next(), radix);
    }
    if (!Character.isValidCodePoint(point)) {
      throw new UserError(
          K6002, at, "this escape sequence is no Unicode character", "the last is `\\x10ffff`");
    }
    return point;
  }

  private UserError unexpected(String wanted, String... hints) {
    int c = in.peek();
    if (c < 0) {
      return new UserError(
          K6006,
          in.here(),
          "expected " + wanted + ", found the end of input",
          "close each bracket; if a program wrote this, it was probably cut off");
    }
    var found = c > ' ' && c < 127 ? "'" + (char) c + "'" : "byte " + c;
    return new UserError(K6001, in.here(), "expected " + wanted + ", found " + found, hints);
  }
}
