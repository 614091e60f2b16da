package dev.kenaz.spark.sql;

import dev.kenaz.value.Prim;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;

/** Where the numbers of Arrow's vectors lie in memory; Spark would ask for one after the other. */
final class ArrowMemory {
  private ArrowMemory() {}

  /** Returns the numbers of a column, if they have this type and lie as Arrow prescribes. */
  static Optional<MemorySegment> numbers(ColumnVector column, Prim prim, int rows) {
    return column instanceof ArrowColumnVector a && a.getValueVector() instanceof FieldVector v
        ? cells(v, prim, 0, rows)
        : Optional.empty();
  }

  /**
   * Returns the elements of a column's arrays, if these have this type and all of them the width.
   */
  static Optional<MemorySegment> arrays(ColumnVector column, Prim prim, int rows, int width) {
    if (!(column instanceof ArrowColumnVector a) || !(a.getValueVector() instanceof ListVector l)) {
      return Optional.empty();
    }
    if (rows == 0) {
      return Optional.of(MemorySegment.NULL);
    }
    var offsets =
        MemorySegment.ofAddress(l.getOffsetBuffer().memoryAddress())
            .reinterpret((rows + 1L) * Integer.BYTES);
    int first = offsets.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    boolean regular = true;
    for (int i = 1; i <= rows; i++) {
      int end = offsets.get(ValueLayout.JAVA_INT_UNALIGNED, (long) i * Integer.BYTES);
      regular &= end - first == (long) i * width;
    }
    return regular ? cells(l.getDataVector(), prim, first, (long) rows * width) : Optional.empty();
  }

  private static Optional<MemorySegment> cells(FieldVector v, Prim prim, long from, long count) {
    if (v.getNullCount() > 0 || !holds(v, prim) || from + count > v.getValueCount()) {
      return Optional.empty();
    }
    long size = prim.byteSize();
    return Optional.of(
        MemorySegment.ofAddress(v.getDataBuffer().memoryAddress() + from * size)
            .reinterpret(count * size));
  }

  private static boolean holds(FieldVector v, Prim prim) {
    return switch (prim) {
      case I8 -> v instanceof TinyIntVector;
      case I16 -> v instanceof SmallIntVector;
      case I32 -> v instanceof IntVector;
      case I64 -> v instanceof BigIntVector;
      case F32 -> v instanceof Float4Vector;
      case F64 -> v instanceof Float8Vector;
      default -> false;
    };
  }
}
