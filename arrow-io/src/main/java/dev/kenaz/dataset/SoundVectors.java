package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;

/**
 * Checks vectors whose buffers come from a file: the lists and strings that they tell must be where
 * there are elements. A damaged file may tell others.
 */
final class SoundVectors {
  private SoundVectors() {}

  /**
   * Checks all columns of a batch, which is closed if it isn't sound.
   *
   * @param name the file that it comes from
   * @throws dev.kenaz.error.UserError K6103
   */
  static VectorSchemaRoot require(String name, VectorSchemaRoot batch) {
    for (var vector : batch.getFieldVectors()) {
      if (!sound(vector, batch.getRowCount())) {
        batch.close();
        throw Faults.malformed(
            name, "column \"" + vector.getName() + "\" has fewer elements than its rows need");
      }
    }
    return batch;
  }

  /**
   * @param rows how many values are needed
   */
  private static boolean sound(FieldVector vector, long rows) {
    if (vector.getValueCount() < rows) {
      return false;
    }
    return switch (vector) {
      case FixedSizeListVector lists -> sound(lists.getDataVector(), rows * lists.getListSize());
      case ListVector lists -> {
        long last = last(lists.getOffsetBuffer(), rows);
        yield last >= 0 && sound(lists.getDataVector(), last);
      }
      case BaseVariableWidthVector texts -> {
        long last = last(texts.getOffsetBuffer(), rows);
        yield last >= 0 && last <= texts.getDataBuffer().capacity();
      }
      case StructVector struct ->
          struct.getChildrenFromFields().stream().allMatch(child -> sound(child, rows));
      case BitVector bits -> bits.getDataBuffer().capacity() >= Math.ceilDiv(rows, 8);
      case BaseFixedWidthVector cells ->
          cells.getDataBuffer().capacity() >= rows * cells.getTypeWidth();
      default -> true;
    };
  }

  /** Returns the last of the offsets of so many rows; -1 if they decrease or are missing. */
  private static long last(ArrowBuf offsets, long rows) {
    if (rows == 0) {
      return 0;
    }
    if (offsets.capacity() < 4 * (rows + 1)) {
      return -1;
    }
    int before = offsets.getInt(0);
    boolean sound = before >= 0;
    for (long i = 1; i <= rows; i++) {
      int next = offsets.getInt(4 * i);
      sound &= next >= before;
      before = next;
    }
    return sound ? before : -1;
  }
}
