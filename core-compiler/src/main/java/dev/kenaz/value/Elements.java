package dev.kenaz.value;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Accesses little-endian elements of a segment, whatever its alignment. Indices count elements. */
public final class Elements {
  static final ValueLayout.OfShort I16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt I32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong I64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfFloat F32 =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfDouble F64 =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Elements() {}

  /** Returns the normal form of element {@code i}. */
  public static long bits(MemorySegment data, Prim prim, long i) {
    return switch (prim) {
      case BOOL -> data.get(ValueLayout.JAVA_BYTE, i) != 0 ? 1 : 0;
      case I8 -> data.get(ValueLayout.JAVA_BYTE, i);
      case U8 -> data.get(ValueLayout.JAVA_BYTE, i) & 0xFFL;
      case I16 -> data.get(I16, i * 2);
      case U16, F16 -> data.get(I16, i * 2) & 0xFFFFL;
      case I32 -> data.get(I32, i * 4);
      case U32, F32 -> data.get(I32, i * 4) & 0xFFFF_FFFFL;
      case I64, U64, F64 -> data.get(I64, i * 8);
    };
  }

  /** Stores the low bits of {@code bits} as element {@code i}. */
  public static void setBits(MemorySegment data, Prim prim, long i, long bits) {
    switch (prim) {
      case BOOL -> data.set(ValueLayout.JAVA_BYTE, i, (byte) (bits & 1));
      case I8, U8 -> data.set(ValueLayout.JAVA_BYTE, i, (byte) bits);
      case I16, U16, F16 -> data.set(I16, i * 2, (short) bits);
      case I32, U32, F32 -> data.set(I32, i * 4, (int) bits);
      case I64, U64, F64 -> data.set(I64, i * 8, bits);
    }
  }
}
