package dev.kenaz.value;

import java.io.Serializable;

/**
 * This is a scalar.
 *
 * @param prim its type
 * @param bits the bits, which the constructor brings into normal form; see {@link Prim}
 */
public record ScalarValue(Prim prim, long bits) implements Value, Serializable {
  public ScalarValue {
    bits = prim.normalise(bits);
  }

  public static ScalarValue bool(boolean x) {
    return new ScalarValue(Prim.BOOL, x ? 1 : 0);
  }

  public static ScalarValue i8(byte x) {
    return new ScalarValue(Prim.I8, x);
  }

  public static ScalarValue i16(short x) {
    return new ScalarValue(Prim.I16, x);
  }

  public static ScalarValue i32(int x) {
    return new ScalarValue(Prim.I32, x);
  }

  public static ScalarValue i64(long x) {
    return new ScalarValue(Prim.I64, x);
  }

  public static ScalarValue u8(int x) {
    return new ScalarValue(Prim.U8, x);
  }

  public static ScalarValue u16(int x) {
    return new ScalarValue(Prim.U16, x);
  }

  public static ScalarValue u32(long x) {
    return new ScalarValue(Prim.U32, x);
  }

  public static ScalarValue u64(long bits) {
    return new ScalarValue(Prim.U64, bits);
  }

  /** Returns the number, rounded to half precision. */
  public static ScalarValue f16(double x) {
    return ofDouble(Prim.F16, x);
  }

  public static ScalarValue f32(float x) {
    return new ScalarValue(Prim.F32, Float.floatToRawIntBits(x));
  }

  public static ScalarValue f64(double x) {
    return new ScalarValue(Prim.F64, Double.doubleToRawLongBits(x));
  }

  /**
   * Returns a scalar of an integer, which wraps around for integer types and is rounded for floats.
   */
  public static ScalarValue ofLong(Prim prim, long x) {
    return switch (prim) {
      case BOOL -> bool(x != 0);
      case I8, I16, I32, I64, U8, U16, U32, U64 -> new ScalarValue(prim, x);
      case F32 -> f32(x);
      case F16, F64 -> ofDouble(prim, x);
    };
  }

  /**
   * Returns a scalar of a number, which is rounded for floats, and truncated and saturated for
   * integers.
   */
  public static ScalarValue ofDouble(Prim prim, double x) {
    return new ScalarValue(prim, prim.fromDouble(x));
  }

  /**
   * Returns the scalar as an integer: a u64 is its bits, a boolean is 0 or 1, and a float is
   * truncated.
   */
  public long asLong() {
    return prim.isFloat() ? (long) asDouble() : bits;
  }

  /** Returns the number, rounded to a double where a 64-bit integer needs it. */
  public double asDouble() {
    return prim.toDouble(bits);
  }

  public boolean asBoolean() {
    return prim.isFloat() ? asDouble() != 0 : bits != 0;
  }

  @Override
  public int rank() {
    return 0;
  }

  @Override
  public long[] shape() {
    return new long[0];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ScalarValue(var p, var b) && p == prim && prim.sameContent(bits, b);
  }

  @Override
  public int hashCode() {
    return 31 * prim.hashCode() + prim.contentHash(bits);
  }

  /** Returns the scalar as Futhark prints it: {@code 1i32}. */
  @Override
  public String toString() {
    return TextPrinter.print(this);
  }
}
