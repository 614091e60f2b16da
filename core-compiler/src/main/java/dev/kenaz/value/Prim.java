package dev.kenaz.value;

import java.util.Optional;

/**
 * These are the primitive types. A scalar of any of them travels as 64 bits in <em>normal
 * form</em>: signed integers sign-extended, unsigned ones zero-extended, booleans 0 or 1, and
 * floats their IEEE 754 bits, zero-extended.
 */
public enum Prim {
  BOOL(1, "bool"),
  I8(1, "i8"),
  I16(2, "i16"),
  I32(4, "i32"),
  I64(8, "i64"),
  U8(1, "u8"),
  U16(2, "u16"),
  U32(4, "u32"),
  U64(8, "u64"),
  F16(2, "f16"),
  F32(4, "f32"),
  F64(8, "f64");

  private final int byteSize;
  private final String text;

  Prim(int byteSize, String text) {
    this.byteSize = byteSize;
    this.text = text;
  }

  /** Returns how many bytes an array element takes; a boolean takes one. */
  public int byteSize() {
    return byteSize;
  }

  /** Returns the name in programs and in text values, such as {@code i32}. */
  public String text() {
    return text;
  }

  /** Returns the four ASCII characters that name this type in the binary format. */
  public String binaryTag() {
    return " ".repeat(4 - text.length()) + text;
  }

  public boolean isFloat() {
    return this == F16 || this == F32 || this == F64;
  }

  public boolean isSigned() {
    return this == I8 || this == I16 || this == I32 || this == I64;
  }

  public boolean isUnsigned() {
    return this == U8 || this == U16 || this == U32 || this == U64;
  }

  public boolean isInteger() {
    return isSigned() || isUnsigned();
  }

  /** Returns the type of that name, such as {@code f32}. */
  public static Optional<Prim> named(String text) {
    for (var p : values()) {
      if (p.text.equals(text)) {
        return Optional.of(p);
      }
    }
    return Optional.empty();
  }

  /** Brings the low bits of a value into normal form: wraps integers, keeps float bits. */
  public long normalise(long bits) {
    return switch (this) {
      case BOOL -> bits & 1;
      case I8 -> (byte) bits;
      case I16 -> (short) bits;
      case I32 -> (int) bits;
      case U8 -> bits & 0xFFL;
      case U16, F16 -> bits & 0xFFFFL;
      case U32, F32 -> bits & 0xFFFF_FFFFL;
      case I64, U64, F64 -> bits;
    };
  }

  /**
   * Returns the number that bits in normal form stand for, rounded to a double where it must be.
   */
  public double toDouble(long bits) {
    return switch (this) {
      case BOOL, I8, I16, I32, I64, U8, U16, U32 -> bits;
      case U64 -> unsignedToDouble(bits);
      case F16 -> Float.float16ToFloat((short) bits);
      case F32 -> Float.intBitsToFloat((int) bits);
      case F64 -> Double.longBitsToDouble(bits);
    };
  }

  /**
   * Returns the bits of a number in normal form: floats are rounded, integers truncated and
   * saturated.
   */
  public long fromDouble(double x) {
    return switch (this) {
      case BOOL -> x != 0 ? 1 : 0;
      case I8 -> clamp(x, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case I16 -> clamp(x, Short.MIN_VALUE, Short.MAX_VALUE);
      case I32 -> (int) x;
      case I64 -> (long) x;
      case U8 -> clamp(x, 0, 0xFFL);
      case U16 -> clamp(x, 0, 0xFFFFL);
      case U32 -> clamp(x, 0, 0xFFFF_FFFFL);
      case U64 -> unsignedFromDouble(x);
      case F16 -> halfBits(x);
      case F32 -> Float.floatToRawIntBits((float) x) & 0xFFFF_FFFFL;
      case F64 -> Double.doubleToRawLongBits(x);
    };
  }

  /** Whether two normal forms have the same content: equal bits, or both NaN. */
  public boolean sameContent(long a, long b) {
    return a == b || isFloat() && Double.isNaN(toDouble(a)) && Double.isNaN(toDouble(b));
  }

  /** Returns a hash that agrees with {@link #sameContent}. */
  int contentHash(long bits) {
    return isFloat() && Double.isNaN(toDouble(bits)) ? 0x7FC0_0000 : Long.hashCode(bits);
  }

  private static long clamp(double x, long low, long high) {
    return Math.max(low, Math.min(high, (long) x));
  }

  private static double unsignedToDouble(long bits) {
    if (bits >= 0) {
      return bits;
    }
    // The number is halved, and its last bit is kept if it was set, so that the rounding is right.
    return ((double) ((bits >>> 1) | (bits & 1))) * 2;
  }

  private static long unsignedFromDouble(double x) {
    if (!(x >= 1)) {
      return 0;
    }
    if (x >= 0x1p64) {
      return -1L;
    }
    return x < 0x1p63 ? (long) x : (long) (x - 0x1p63) ^ Long.MIN_VALUE;
  }

  /** Rounds once, to half precision. A conversion through float would round twice. */
  private static long halfBits(double x) {
    float f = (float) x;
    if (f != x && Float.isFinite(f) && !Double.isNaN(x)) {
      // The number is rounded to odd, so that the second rounding gives the right result.
      int toward = Math.abs((double) f) > Math.abs(x) ? -1 : 0;
      f = Float.intBitsToFloat((Float.floatToRawIntBits(f) + toward) | 1);
    }
    return Float.floatToFloat16(f) & 0xFFFFL;
  }

  @Override
  public String toString() {
    return text;
  }
}
