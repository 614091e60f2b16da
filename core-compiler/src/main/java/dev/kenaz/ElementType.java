package dev.kenaz;

import dev.kenaz.value.Prim;

/** What an array is made of, or a scalar is: the primitive types of the language. */
public enum ElementType {
  /** One byte each, 0 or 1; {@code boolean} in Java. */
  BOOL,
  /** {@code byte} in Java. */
  I8,
  /** {@code short} in Java. */
  I16,
  /** {@code int} in Java. */
  I32,
  /** {@code long} in Java. */
  I64,
  /** Unsigned: in Java a scalar is an {@code int}, an array has the bits as {@code byte}. */
  U8,
  /** Unsigned: in Java a scalar is an {@code int}, an array has the bits as {@code short}. */
  U16,
  /** Unsigned: in Java a scalar is a {@code long}, an array has the bits as {@code int}. */
  U32,
  /** Unsigned: in Java the bits as {@code long}; see {@link Long#toUnsignedString(long)}. */
  U64,
  /**
   * Half precision: in Java a {@code float}; an array also has the bits as {@code short}, see
   * {@link Float#float16ToFloat}.
   */
  F16,
  /** {@code float} in Java. */
  F32,
  /** {@code double} in Java. */
  F64;

  /** Bytes that an element takes in memory. */
  public int byteSize() {
    return prim().byteSize();
  }

  /** As in programs, such as {@code f32}. */
  @Override
  public String toString() {
    return prim().text();
  }

  Prim prim() {
    return Prim.valueOf(name());
  }
}
