package dev.kenaz;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Converts arrays of Java to arrays of programs, and back. Arrays of arrays are copied row by row.
 */
final class JavaArrays {
  /** The length of the longest array that Java can make. */
  private static final long LONGEST = Integer.MAX_VALUE - 8;

  private JavaArrays() {}

  /** What is wrong with an array, and where in it. */
  static final class Irregular extends Exception {
    private static final long serialVersionUID = 1L;

    Irregular(String message) {
      super(message);
    }
  }

  /** Returns Java's types of elements that stand for a type, the usual one first. */
  static List<Class<?>> components(Prim prim) {
    return switch (prim) {
      case BOOL -> List.of(boolean.class);
      case I8, U8 -> List.of(byte.class);
      case I16 -> List.of(short.class);
      case U16 -> List.of(short.class, char.class);
      case I32, U32 -> List.of(int.class);
      case I64, U64 -> List.of(long.class);
      case F16 -> List.of(float.class, short.class);
      case F32 -> List.of(float.class);
      case F64 -> List.of(double.class);
    };
  }

  /**
   * Returns the number of dimensions that an array of that class has; 0 if the class is no array
   * class.
   */
  static int rank(Class<?> type) {
    return type.isArray() ? 1 + rank(type.getComponentType()) : 0;
  }

  /** Returns the array class without its outermost dimensions, as many as {@code rank} says. */
  static Class<?> element(Class<?> type, int rank) {
    return rank == 0 ? type : element(type.getComponentType(), rank - 1);
  }

  /** Returns the array class with as many dimensions as {@code rank} says. */
  static Class<?> arrayOf(Class<?> component, int rank) {
    return rank == 0 ? component : arrayOf(component.arrayType(), rank - 1);
  }

  /**
   * Returns the lengths of the outermost dimensions, as far as there are rows that tell them: for a
   * {@code float[0][]} only the first is known.
   *
   * @throws Irregular if a row is missing, or differs from others in length
   */
  static List<Long> shape(Object array, int rank) throws Irregular {
    var shape = new ArrayList<Long>();
    shape(array, rank, shape, 0, "");
    return shape;
  }

  private static void shape(Object array, int rank, List<Long> shape, int at, String place)
      throws Irregular {
    if (array == null) {
      throw new Irregular("has null at " + place);
    }
    long length = Array.getLength(array);
    if (shape.size() == at) {
      shape.add(length);
    } else if (shape.get(at) != length) {
      throw new Irregular(
          "has rows of different lengths: %d at %s, but %d before"
              .formatted(length, place, shape.get(at)));
    }
    if (rank > 1) {
      for (int i = 0; i < length; i++) {
        shape(Array.get(array, i), rank - 1, shape, at + 1, place + "[" + i + "]");
      }
    }
  }

  /**
   * Returns a copy; or a view, if it is asked for and the array has one dimension. A view is good
   * for the call that reads it.
   */
  static ArrayValue of(Prim prim, Object array, long[] shape, boolean view) {
    var component = element(array.getClass(), shape.length);
    if (view && shape.length == 1) {
      var segment = direct(prim, array, component);
      if (segment.isPresent()) {
        return ArrayValue.of(prim, segment.get(), shape);
      }
    }
    var data = ArrayValue.allocate(prim, shape);
    if (data.byteSize() > 0) {
      copyIn(prim, array, shape.length, data, 0);
    }
    return ArrayValue.of(prim, data, shape);
  }

  private static Optional<MemorySegment> direct(Prim prim, Object array, Class<?> component) {
    return switch (array) {
      case byte[] a -> Optional.of(MemorySegment.ofArray(a));
      case short[] a -> Optional.of(MemorySegment.ofArray(a));
      case char[] a -> Optional.of(MemorySegment.ofArray(a));
      case int[] a -> Optional.of(MemorySegment.ofArray(a));
      case long[] a -> Optional.of(MemorySegment.ofArray(a));
      case float[] a when prim == Prim.F32 -> Optional.of(MemorySegment.ofArray(a));
      case double[] a -> Optional.of(MemorySegment.ofArray(a));
      default -> Optional.empty();
    };
  }

  /** Copies the rows to the elements from a place on, and returns the place after them. */
  private static long copyIn(Prim prim, Object array, int rank, MemorySegment data, long at) {
    int length = Array.getLength(array);
    if (rank > 1) {
      long next = at;
      for (int i = 0; i < length; i++) {
        next = copyIn(prim, Array.get(array, i), rank - 1, data, next);
      }
      return next;
    }
    long offset = at * prim.byteSize();
    switch (array) {
      case boolean[] row -> {
        for (int i = 0; i < length; i++) {
          data.set(ValueLayout.JAVA_BYTE, offset + i, (byte) (row[i] ? 1 : 0));
        }
      }
      case float[] row when prim == Prim.F16 -> {
        for (int i = 0; i < length; i++) {
          data.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset + 2L * i, Float.floatToFloat16(row[i]));
        }
      }
      default -> MemorySegment.copy(array, 0, data, layout(array.getClass()), offset, length);
    }
    return at + length;
  }

  private static ValueLayout layout(Class<?> array) {
    return switch (array.getComponentType().getName()) {
      case "byte" -> ValueLayout.JAVA_BYTE;
      case "short" -> ValueLayout.JAVA_SHORT_UNALIGNED;
      case "char" -> ValueLayout.JAVA_CHAR_UNALIGNED;
      case "int" -> ValueLayout.JAVA_INT_UNALIGNED;
      case "long" -> ValueLayout.JAVA_LONG_UNALIGNED;
      case "float" -> ValueLayout.JAVA_FLOAT_UNALIGNED;
      default -> ValueLayout.JAVA_DOUBLE_UNALIGNED;
    };
  }

  /** Whether Java has arrays of that shape. */
  static boolean possible(long... shape) {
    return Arrays.stream(shape).allMatch(d -> d <= LONGEST);
  }

  /** Returns a new Java array with these elements. */
  static Object toJava(ArrayValue value, Class<?> component) {
    return copyOut(value, component, 0, 0);
  }

  private static Object copyOut(ArrayValue value, Class<?> component, int dim, long row) {
    int length = (int) value.dim(dim);
    if (dim < value.rank() - 1) {
      var rows = Array.newInstance(arrayOf(component, value.rank() - dim - 1), length);
      for (int i = 0; i < length; i++) {
        Array.set(rows, i, copyOut(value, component, dim + 1, row * length + i));
      }
      return rows;
    }
    var out = Array.newInstance(component, length);
    long first = row * length;
    switch (out) {
      case boolean[] xs -> {
        for (int i = 0; i < length; i++) {
          xs[i] = value.getBoolean(first + i);
        }
      }
      case float[] xs when value.elem() == Prim.F16 -> {
        for (int i = 0; i < length; i++) {
          xs[i] = value.getFloat(first + i);
        }
      }
      default ->
          MemorySegment.copy(
              value.data(),
              layout(out.getClass()),
              first * value.elem().byteSize(),
              out,
              0,
              length);
    }
    return out;
  }
}
