package dev.kenaz.arrow;

import static dev.kenaz.error.ErrorCode.K6105;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;

/**
 * This is a stretch of rows of one numeric column: segments over Arrow's own buffers, never a copy
 * of them.
 *
 * @param info the column; its {@code prim} is present
 * @param offset the number of the first row in the buffers
 * @param rows how many rows
 * @param validity a bit for each row, or null if no row is null
 * @param cellValidity a bit for each element of a list column, or null if none is null
 * @param data the elements in little-endian order; booleans are bits
 */
public record ColumnData(
    ColumnInfo info,
    long offset,
    long rows,
    MemorySegment validity,
    MemorySegment cellValidity,
    MemorySegment data) {

  public Prim prim() {
    return info.prim().orElseThrow();
  }

  /**
   * Borrows a vector's buffers. The result is valid only while the vector is open and unchanged.
   *
   * @throws UserError K6105 if it is not numeric
   */
  public static ColumnData of(FieldVector vector) {
    var info = ColumnInfo.of(vector.getField());
    requireNumeric(info, "the vector");
    int rows = vector.getValueCount();
    var cells = vector instanceof FixedSizeListVector l ? l.getDataVector() : vector;
    return new ColumnData(
        info,
        0,
        rows,
        vector.getNullCount() == 0 ? null : segment(vector.getValidityBuffer()),
        cells == vector || cells.getNullCount() == 0 ? null : segment(cells.getValidityBuffer()),
        segment(cells.getDataBuffer()));
  }

  static void requireNumeric(ColumnInfo info, String where) {
    if (info.prim().isEmpty() && info.type().matches("(large_)?list<.*")) {
      throw new UserError(
          K6105,
          "column \"%s\" of %s has lists, which may have different lengths"
              .formatted(info.name(), where),
          "a parameter can be elements(%s), one list after the other, and another one"
              .formatted(info.name()),
          "lengths(%s), with a number for each row".formatted(info.name()));
    }
    if (info.prim().isEmpty()) {
      throw new UserError(
          K6105,
          "column \"" + info.name() + "\" of " + where + " is " + info.type() + ", not numbers",
          "choose columns of integers, floats, booleans, or fixed-size lists of them");
    }
  }

  private static MemorySegment segment(ArrowBuf buffer) {
    return buffer.capacity() == 0
        ? MemorySegment.NULL
        : MemorySegment.ofAddress(buffer.memoryAddress()).reinterpret(buffer.capacity());
  }

  /** Returns rows {@code from} to {@code to} (exclusive) of this stretch. */
  public ColumnData slice(long from, long to) {
    Objects.checkFromToIndex(from, to, rows);
    return new ColumnData(info, offset + from, to - from, validity, cellValidity, data);
  }

  /** Whether a row is null, or for a list any element of it. */
  public boolean isNull(long row) {
    if (validity != null && !bit(validity, offset + row)) {
      return true;
    }
    if (cellValidity != null) {
      long first = (offset + row) * info.width();
      for (long i = first; i < first + info.width(); i++) {
        if (!bit(cellValidity, i)) {
          return true;
        }
      }
    }
    return false;
  }

  public boolean mayHaveNulls() {
    return validity != null || cellValidity != null;
  }

  /** Returns an element of a column of truth values. */
  public static boolean bit(MemorySegment bits, long i) {
    return (bits.get(ValueLayout.JAVA_BYTE, i >>> 3) >>> (i & 7) & 1) != 0;
  }
}
