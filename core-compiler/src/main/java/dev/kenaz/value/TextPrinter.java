package dev.kenaz.value;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Prints values as Futhark does: {@code 1i32}, {@code [1.0f32, 2.0f32]}, {@code f64.nan}, {@code
 * empty([0][2]i32)}. A float is the shortest decimal that reads back as the same number.
 */
public final class TextPrinter {
  private TextPrinter() {}

  public static String print(Value v) {
    var out = new StringBuilder();
    print(v, out);
    return out.toString();
  }

  /** Prints a value without a final newline. Arrays may have any size, as there is no recursion. */
  public static void print(Value v, Appendable out) {
    try {
      switch (v) {
        case ScalarValue s -> printScalar(s.prim(), s.bits(), out);
        case ArrayValue a -> printArray(a, a.count(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Prints at most {@code limit} elements, then an ellipsis. This is for messages, and can't be
   * read back.
   */
  static String abbreviate(ArrayValue a, long limit) {
    var out = new StringBuilder();
    try {
      printArray(a, Math.min(limit, a.count()), out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  private static void printArray(ArrayValue a, long limit, Appendable out) throws IOException {
    var shape = a.shape();
    if (a.count() == 0) {
      out.append("empty(");
      for (long d : shape) {
        out.append('[').append(Long.toString(d)).append(']');
      }
      out.append(a.elem().text()).append(')');
      return;
    }
    var index = new long[shape.length];
    for (int d = 0; d < shape.length; d++) {
      out.append('[');
    }
    for (long i = 0; i < a.count(); i++) {
      if (i == limit) {
        out.append(", ...").append("]".repeat(shape.length));
        return;
      }
      if (i > 0) {
        int closed = advance(index, shape);
        out.append("]".repeat(closed)).append(", ").append("[".repeat(closed));
      }
      printScalar(a.elem(), a.bits(i), out);
    }
    out.append("]".repeat(shape.length));
  }

  /** Increments a row-major index, and returns how many inner dimensions wrapped around. */
  private static int advance(long[] index, long[] shape) {
    int d = shape.length - 1;
    while (++index[d] == shape[d]) {
      d--;
    }
    Arrays.fill(index, d + 1, index.length, 0);
    return shape.length - 1 - d;
  }

  private static void printScalar(Prim prim, long bits, Appendable out) throws IOException {
    switch (prim) {
      case BOOL -> out.append(digits(prim, bits));
      case I8, I16, I32, I64, U8, U16, U32, U64 ->
          out.append(digits(prim, bits)).append(prim.text());
      case F16, F32, F64 -> printFloat(prim, bits, out);
    }
  }

  /** Returns a number as Java prints it, without its type: with as many digits as it needs. */
  public static String digits(Prim prim, long bits) {
    return switch (prim) {
      case BOOL -> bits != 0 ? "true" : "false";
      case U64 -> Long.toUnsignedString(bits);
      case I8, I16, I32, I64, U8, U16, U32 -> Long.toString(bits);
      case F16, F32 -> Float.toString((float) prim.toDouble(bits));
      case F64 -> Double.toString(prim.toDouble(bits));
    };
  }

  private static void printFloat(Prim prim, long bits, Appendable out) throws IOException {
    double x = prim.toDouble(bits);
    if (Double.isNaN(x)) {
      out.append(prim.text()).append(".nan");
    } else if (Double.isInfinite(x)) {
      out.append(x < 0 ? "-" : "").append(prim.text()).append(".inf");
    } else {
      out.append(digits(prim, bits).replace('E', 'e')).append(prim.text());
    }
  }
}
