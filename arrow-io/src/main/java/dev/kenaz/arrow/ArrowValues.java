package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6105;
import static dev.kenaz.error.ErrorCode.K6106;
import static java.util.Objects.requireNonNull;

import dev.kenaz.ElementType;
import dev.kenaz.Value;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedWidthVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;

/**
 * Converts Arrow vectors to values of programs, and back, for Java programs that have columns in
 * Arrow and call entry points through {@code dev.kenaz}.
 */
public final class ArrowValues {
  private ArrowValues() {}

  /**
   * Returns the elements of a vector: an array of one dimension, or of two for a vector of
   * fixed-size lists. They are not copied, unless they are truth values, of which Arrow keeps eight
   * in a byte. As long as the value is used, the vector must stay open and unchanged.
   *
   * @throws dev.kenaz.error.UserError K6105 if the vector isn't one of numbers or truth values,
   *     K6106 if an element is null
   */
  public static Value of(FieldVector vector) {
    var column = ColumnData.of(requireNonNull(vector, "vector"));
    requireNoNulls(column);
    var info = column.info();
    var type = ElementType.valueOf(column.prim().name());
    long elements = column.rows() * info.width();
    var shape = info.list() ? new long[] {column.rows(), info.width()} : new long[] {column.rows()};
    if (type == ElementType.BOOL) {
      requirePossible(elements);
      var bits = new boolean[(int) elements];
      for (int i = 0; i < bits.length; i++) {
        bits[i] = ColumnData.bit(column.data(), i);
      }
      return Value.copyOf(type, bits).reshape(shape);
    }
    long bytes = elements * type.byteSize();
    return Value.view(
        type, bytes == 0 ? MemorySegment.NULL : column.data().asSlice(0, bytes), shape);
  }

  private static void requireNoNulls(ColumnData column) {
    if (!column.mayHaveNulls()) {
      return;
    }
    for (long i = 0; i < column.rows(); i++) {
      if (column.isNull(i)) {
        throw Faults.fault(
            K6106, "the vector \"" + column.info().name() + "\" is null in row " + i);
      }
    }
  }

  private static void requirePossible(long... shape) {
    long elements = 1;
    for (long d : shape) {
      elements = d > Integer.MAX_VALUE ? Long.MAX_VALUE : elements * d;
      if (elements > Integer.MAX_VALUE) {
        throw Faults.fault(
            K6105,
            "an array of shape " + Arrays.toString(shape) + " is too long for a vector",
            "a vector has at most " + Integer.MAX_VALUE + " elements; make several of parts");
      }
    }
  }

  /**
   * Returns a new vector with a copy of an array's elements. If the array has two dimensions, it is
   * a vector of fixed-size lists.
   *
   * @return the vector, which the caller closes
   * @throws dev.kenaz.error.UserError K6105 if the value is no array of numbers or truth values, or
   *     one of more dimensions, or has more elements than a vector can have
   */
  public static FieldVector toVector(Value array, String name, BufferAllocator allocator) {
    requireNonNull(name, "name");
    requireNonNull(allocator, "allocator");
    var shape = requireNonNull(array, "array").shape();
    if (shape.length < 1 || shape.length > 2 || !array.hasElements()) {
      throw Faults.fault(
          K6105,
          "a value of type " + array.type() + " is no vector",
          "arrays of numbers or truth values of one or two dimensions are");
    }
    requirePossible(shape);
    int rows = (int) shape[0];
    int width = shape.length == 1 ? 1 : (int) shape[1];
    var prim = Prim.valueOf(array.elementType().name());
    var field =
        shape.length == 1
            ? ColumnInfo.scalar(name, prim).field()
            : ColumnInfo.list(name, prim, width).field();
    var vector = field.createVector(allocator);
    try {
      var cells = vector instanceof FixedSizeListVector l ? l.getDataVector() : vector;
      int elements = rows * width;
      ((FixedWidthVector) cells).allocateNew(elements);
      if (vector instanceof FixedSizeListVector lists) {
        lists.allocateNew();
        for (int i = 0; i < rows; i++) {
          lists.setNotNull(i);
        }
      }
      fill(array.as(MemorySegment.class), cells, elements, array.elementType());
      cells.setValueCount(elements);
      vector.setValueCount(rows);
      return vector;
    } catch (RuntimeException | Error e) {
      vector.close();
      throw e;
    }
  }

  private static void fill(MemorySegment from, FieldVector cells, int elements, ElementType type) {
    var valid = new byte[(elements + 7) / 8];
    Arrays.fill(valid, (byte) 0xFF);
    cells.getValidityBuffer().setBytes(0, valid);
    var data = cells.getDataBuffer();
    if (type == ElementType.BOOL) {
      data.setZero(0, data.capacity());
      for (int i = 0; i < elements; i++) {
        if (from.get(ValueLayout.JAVA_BYTE, i) != 0) {
          data.setByte(i >> 3, data.getByte(i >> 3) | 1 << (i & 7));
        }
      }
    } else if (elements > 0) {
      MemorySegment.ofAddress(data.memoryAddress()).reinterpret(data.capacity()).copyFrom(from);
    }
  }
}
