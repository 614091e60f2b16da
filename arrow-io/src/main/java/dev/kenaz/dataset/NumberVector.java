package dev.kenaz.dataset;

import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.value.Prim;
import java.util.Optional;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;

/**
 * A vector of numbers or booleans, whose elements are bits in the normal form of their type. So
 * nothing happens to a number on its way, not even to the bits of a NaN.
 *
 * @param vector has elements of a fixed width
 */
record NumberVector(BaseFixedWidthVector vector, Prim type) {

  /** Returns a vector as one of numbers; nothing if it has other elements. */
  static Optional<NumberVector> of(FieldVector vector) {
    return ColumnInfo.prim(vector.getField().getType())
        .map(p -> new NumberVector((BaseFixedWidthVector) vector, p));
  }

  boolean isNull(int i) {
    return vector.isNull(i);
  }

  /** Returns an element that isn't null. */
  long get(int i) {
    ArrowBuf data = vector.getDataBuffer();
    return switch (type) {
      case BOOL -> BitVectorHelper.get(data, i);
      case I8 -> data.getByte(i);
      case U8 -> data.getByte(i) & 0xFFL;
      case I16 -> data.getShort(2L * i);
      case U16, F16 -> data.getShort(2L * i) & 0xFFFFL;
      case I32 -> data.getInt(4L * i);
      case U32, F32 -> data.getInt(4L * i) & 0xFFFF_FFFFL;
      case I64, U64, F64 -> data.getLong(8L * i);
    };
  }

  double real(int i) {
    return type.toDouble(get(i));
  }

  /** Sets an element; the vector grows as it must. */
  void set(int i, long bits) {
    while (i >= vector.getValueCapacity()) {
      vector.reAlloc();
    }
    BitVectorHelper.setBit(vector.getValidityBuffer(), i);
    ArrowBuf data = vector.getDataBuffer();
    switch (type) {
      case BOOL -> {
        if (bits == 0) {
          BitVectorHelper.unsetBit(data, i);
        } else {
          BitVectorHelper.setBit(data, i);
        }
      }
      case I8, U8 -> data.setByte(i, (byte) bits);
      case I16, U16, F16 -> data.setShort(2L * i, (short) bits);
      case I32, U32, F32 -> data.setInt(4L * i, (int) bits);
      case I64, U64, F64 -> data.setLong(8L * i, bits);
    }
  }

  /** Sets an element to null. */
  void setNull(int i) {
    while (i >= vector.getValueCapacity()) {
      vector.reAlloc();
    }
    BitVectorHelper.unsetBit(vector.getValidityBuffer(), i);
  }
}
