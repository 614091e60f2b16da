package dev.kenaz.arrow;

import dev.kenaz.value.Elements;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Copies elements in bulk with strides, by one plain loop for each type so that the JIT compiles
 * each well. Indices and strides count elements. Sources hold booleans as bits, destinations as
 * bytes.
 */
final class Cells {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Cells() {}

  /** Reads the bits of {@code n} elements in normal form. */
  static void readBits(MemorySegment s, Prim p, long at, long stride, long[] out, int n) {
    switch (p) {
      case BOOL -> {
        for (int i = 0; i < n; i++) {
          out[i] = ColumnData.bit(s, at + i * stride) ? 1 : 0;
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(SHORT, 2 * (at + i * stride));
        }
      }
      case I32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(INT, 4 * (at + i * stride));
        }
      }
      case I64, U64, F64 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(LONG, 8 * (at + i * stride));
        }
      }
      case I8, U8, U16, U32, F16, F32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Elements.bits(s, p, at + i * stride);
        }
      }
    }
  }

  /** Reads the numbers that {@code n} elements stand for. */
  static void readDoubles(MemorySegment s, Prim p, long at, long stride, double[] out, int n) {
    switch (p) {
      case F64 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(DOUBLE, 8 * (at + i * stride));
        }
      }
      case F32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(FLOAT, 4 * (at + i * stride));
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(SHORT, 2 * (at + i * stride));
        }
      }
      case I32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = s.get(INT, 4 * (at + i * stride));
        }
      }
      case BOOL -> {
        for (int i = 0; i < n; i++) {
          out[i] = ColumnData.bit(s, at + i * stride) ? 1 : 0;
        }
      }
      case I8, I64, U8, U16, U32, U64, F16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = p.toDouble(Elements.bits(s, p, at + i * stride));
        }
      }
    }
  }

  /** Stores low bits. */
  static void writeBits(MemorySegment s, Prim p, long at, long stride, long[] in, int n) {
    switch (p.byteSize()) {
      case 8 -> {
        for (int i = 0; i < n; i++) {
          s.set(LONG, 8 * (at + i * stride), in[i]);
        }
      }
      case 4 -> {
        for (int i = 0; i < n; i++) {
          s.set(INT, 4 * (at + i * stride), (int) in[i]);
        }
      }
      case 2 -> {
        for (int i = 0; i < n; i++) {
          s.set(SHORT, 2 * (at + i * stride), (short) in[i]);
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          s.set(ValueLayout.JAVA_BYTE, at + i * stride, (byte) in[i]);
        }
      }
    }
  }

  /** Stores numbers rounded to {@code p}, a float type. */
  static void writeFloats(MemorySegment s, Prim p, long at, long stride, double[] in, int n) {
    switch (p) {
      case F64 -> {
        for (int i = 0; i < n; i++) {
          s.set(DOUBLE, 8 * (at + i * stride), in[i]);
        }
      }
      case F32 -> {
        for (int i = 0; i < n; i++) {
          s.set(FLOAT, 4 * (at + i * stride), (float) in[i]);
        }
      }
      case F16, BOOL, I8, I16, I32, I64, U8, U16, U32, U64 -> {
        for (int i = 0; i < n; i++) {
          Elements.setBits(s, p, at + i * stride, p.fromDouble(in[i]));
        }
      }
    }
  }

  /** Copies {@code n} elements of 4 or 8 bytes from one stride to another. */
  static void copy(
      MemorySegment from,
      long at,
      long stride,
      MemorySegment to,
      long toAt,
      long toStride,
      int n,
      int bytes) {
    if (bytes == 4) {
      for (int i = 0; i < n; i++) {
        to.set(INT, 4 * (toAt + i * toStride), from.get(INT, 4 * (at + i * stride)));
      }
    } else {
      for (int i = 0; i < n; i++) {
        to.set(LONG, 8 * (toAt + i * toStride), from.get(LONG, 8 * (at + i * stride)));
      }
    }
  }
}
