package dev.kenaz;

import dev.kenaz.value.Prim;

/** The primitive types of the language: a scalar, and each element of an array, has one of them. */
public enum ElementType {
  /**
   * A truth value. In memory it takes one byte, which is 0 or 1; in Java it is a {@code boolean}.
   */
  BOOL,
  /** An 8-bit integer; in Java a {@code byte}. */
  I8,
  /** A 16-bit integer; in Java a {@code short}. */
  I16,
  /** A 32-bit integer; in Java an {@code int}. */
  I32,
  /** A 64-bit integer; in Java a {@code long}. */
  I64,
  /**
   * An unsigned 8-bit integer. In Java a scalar is an {@code int}; the elements of an array are
   * {@code byte}s with the same bits.
   */
  U8,
  /**
   * An unsigned 16-bit integer. In Java a scalar is an {@code int}; the elements of an array are
   * {@code short}s with the same bits.
   */
  U16,
  /**
   * An unsigned 32-bit integer. In Java a scalar is a {@code long}; the elements of an array are
   * {@code int}s with the same bits.
   */
  U32,
  /**
   * An unsigned 64-bit integer. In Java scalars and elements are {@code long}s with the same bits;
   * see {@link Long#toUnsignedString(long)}.
   */
  U64,
  /**
   * A float of half precision; in Java a {@code float}. The elements of an array may also be {@code
   * short}s with the same bits; see {@link Float#float16ToFloat}.
   */
  F16,
  /** A 32-bit float; in Java a {@code float}. */
  F32,
  /** A 64-bit float; in Java a {@code double}. */
  F64;

  /** Returns how many bytes an element takes in memory. */
  public int byteSize() {
    return prim().byteSize();
  }

  /** Returns the type's name in programs, such as {@code f32}. */
  @Override
  public String toString() {
    return prim().text();
  }

  Prim prim() {
    return Prim.valueOf(name());
  }
}
