package dev.kenaz.arrow;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.Types;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Checks vectors whose buffers come from a file: the lists and strings that they tell must be where
 * there are elements. A damaged file may tell others, and who reads strings in place, as Spark
 * does, would read memory of anyone.
 */
public final class SoundVectors {
  private SoundVectors() {}

  /**
   * Checks all columns of a batch, which is closed if it isn't sound.
   *
   * @param name the file that it comes from
   * @throws dev.kenaz.error.UserError K6103
   */
  public static VectorSchemaRoot require(String name, VectorSchemaRoot batch) {
    try {
      batch.getFieldVectors().forEach(v -> require(name, v, batch.getRowCount()));
      return batch;
    } catch (RuntimeException e) {
      batch.close();
      throw e;
    }
  }

  /**
   * Checks the types of a file's columns.
   *
   * @throws dev.kenaz.error.UserError K6103 if there is no such type, as integers of 157 bits
   */
  public static Schema require(String name, Schema schema) {
    schema.getFields().forEach(f -> require(name, f));
    return schema;
  }

  private static void require(String name, Field field) {
    try {
      Types.getMinorTypeForArrowType(field.getType());
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw Faults.malformed(
          name, "column \"" + field.getName() + "\" has the type " + field.getType());
    }
    field.getChildren().forEach(f -> require(name, f));
  }

  /** Checks a column of a batch of so many rows. The caller closes it in any case. */
  static void require(String name, FieldVector vector, long rows) {
    if (!sound(vector, rows)) {
      throw Faults.malformed(
          name, "column \"" + vector.getName() + "\" has fewer elements than its rows need");
    }
  }

  /**
   * Whether the vector has as many values as it says, and at least so many.
   *
   * @param needed how many values are needed
   */
  private static boolean sound(ValueVector vector, long needed) {
    long rows = vector.getValueCount();
    if (rows < needed) {
      return false;
    }
    return switch (vector) {
      case FixedSizeListVector lists ->
          bits(lists, rows) && sound(lists.getDataVector(), rows * lists.getListSize());
      case ListVector lists ->
          bits(lists, rows)
              && elements(lists.getDataVector(), last(lists.getOffsetBuffer(), rows, false));
      case LargeListVector lists ->
          bits(lists, rows)
              && elements(lists.getDataVector(), last(lists.getOffsetBuffer(), rows, true));
      case ListViewVector lists ->
          bits(lists, rows)
              && elements(
                  lists.getDataVector(),
                  lastOfViews(lists.getOffsetBuffer(), lists.getSizeBuffer(), rows, false));
      case LargeListViewVector lists ->
          bits((FieldVector) lists, rows)
              && elements(
                  lists.getDataVector(),
                  lastOfViews(lists.getOffsetBuffer(), lists.getSizeBuffer(), rows, true));
      case BaseVariableWidthVector texts ->
          bits(texts, rows)
              && inside(texts.getDataBuffer(), last(texts.getOffsetBuffer(), rows, false));
      case BaseLargeVariableWidthVector texts ->
          bits(texts, rows)
              && inside(texts.getDataBuffer(), last(texts.getOffsetBuffer(), rows, true));
      case BaseVariableWidthViewVector texts -> bits(texts, rows) && views(texts, rows);
      case StructVector struct ->
          bits(struct, rows)
              && struct.getChildrenFromFields().stream().allMatch(child -> sound(child, rows));
      case BitVector bits ->
          bits(bits, rows) && bits.getDataBuffer().capacity() >= Math.ceilDiv(rows, 8);
      case BaseFixedWidthVector cells ->
          bits(cells, rows) && cells.getDataBuffer().capacity() >= rows * cells.getTypeWidth();
      case ExtensionTypeVector<?> named -> sound(named.getUnderlyingVector(), rows);
      default -> true; // Of the other kinds, Arrow checks each access.
    };
  }

  /** Whether each row has a bit that tells whether it is null. */
  private static boolean bits(FieldVector vector, long rows) {
    return vector.getValidityBuffer().capacity() >= Math.ceilDiv(rows, 8);
  }

  private static boolean elements(ValueVector elements, long needed) {
    return needed >= 0 && sound(elements, needed);
  }

  private static boolean inside(ArrowBuf bytes, long needed) {
    return needed >= 0 && needed <= bytes.capacity();
  }

  private static long number(ArrowBuf numbers, long i, boolean wide) {
    return wide ? numbers.getLong(Long.BYTES * i) : numbers.getInt(Integer.BYTES * i);
  }

  private static boolean holds(ArrowBuf numbers, long n, boolean wide) {
    return numbers.capacity() >= n * (wide ? Long.BYTES : Integer.BYTES);
  }

  /**
   * Returns the last of the offsets of so many rows; -1 if they decrease or are missing.
   *
   * @param wide whether they are 64-bit numbers
   */
  private static long last(ArrowBuf offsets, long rows, boolean wide) {
    if (rows == 0) {
      return 0;
    }
    if (!holds(offsets, rows + 1, wide)) {
      return -1;
    }
    long before = number(offsets, 0, wide);
    boolean sound = before >= 0;
    for (long i = 1; i <= rows; i++) {
      long next = number(offsets, i, wide);
      sound &= next >= before;
      before = next;
    }
    return sound ? before : -1;
  }

  /** Returns where the last list ends of lists in any order; -1 if one lies nowhere. */
  private static long lastOfViews(ArrowBuf offsets, ArrowBuf sizes, long rows, boolean wide) {
    if (!holds(offsets, rows, wide) || !holds(sizes, rows, wide)) {
      return -1;
    }
    long last = 0;
    for (long i = 0; i < rows; i++) {
      long from = number(offsets, i, wide);
      long size = number(sizes, i, wide);
      if (from < 0 || size < 0 || from > Long.MAX_VALUE - size) {
        return -1;
      }
      last = Math.max(last, from + size);
    }
    return last;
  }

  /** Whether texts that aren't in their views themselves lie inside one of the buffers. */
  private static boolean views(BaseVariableWidthViewVector texts, long rows) {
    var views = texts.getDataBuffer();
    if (views.capacity() < rows * BaseVariableWidthViewVector.ELEMENT_SIZE) {
      return false;
    }
    var buffers = texts.getDataBuffers();
    for (int i = 0; i < rows; i++) {
      long at = (long) i * BaseVariableWidthViewVector.ELEMENT_SIZE;
      int length = views.getInt(at);
      if (length > BaseVariableWidthViewVector.INLINE_SIZE && !texts.isNull(i)) {
        int buffer = views.getInt(at + 2 * Integer.BYTES);
        long from = views.getInt(at + 3 * Integer.BYTES);
        if (buffer < 0
            || buffer >= buffers.size()
            || from < 0
            || from + length > buffers.get(buffer).capacity()) {
          return false;
        }
      } else if (length < 0 && !texts.isNull(i)) {
        return false;
      }
    }
    return true;
  }
}
