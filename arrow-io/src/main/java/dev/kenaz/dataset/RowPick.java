package dev.kenaz.dataset;

import java.lang.foreign.MemorySegment;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.types.pojo.Schema;

/** Copies some rows of a batch, in any order. It owns the copy, which the next one replaces. */
public final class RowPick implements AutoCloseable {
  private final BufferAllocator memory;
  private final VectorSchemaRoot root;

  /**
   * @param schema the columns of all batches that rows are copied of
   */
  public RowPick(Schema schema) {
    this.memory = BatchMemory.of("picked rows");
    this.root = VectorSchemaRoot.create(schema, memory);
  }

  /**
   * Copies rows.
   *
   * @param rows their numbers in the batch
   * @param count how many of these numbers count
   */
  public VectorSchemaRoot take(VectorSchemaRoot batch, int[] rows, int count) {
    for (int i = 0; i < root.getFieldVectors().size(); i++) {
      copy(batch.getVector(i), root.getVector(i), rows, count);
    }
    root.setRowCount(count);
    return root;
  }

  private static void copy(FieldVector from, FieldVector to, int[] rows, int count) {
    to.clear();
    if (from.getClass() == to.getClass() && from.getNullCount() == 0 && plain(from)) {
      fixed((BaseFixedWidthVector) from, (BaseFixedWidthVector) to, rows, 1, count);
    } else if (from instanceof FixedSizeListVector a
        && to instanceof FixedSizeListVector b
        && a.getNullCount() == 0
        && plain(a.getDataVector())
        && a.getDataVector().getNullCount() == 0) {
      b.setInitialCapacity(count);
      b.allocateNew();
      BatchNumbers.segment(b.getValidityBuffer()).fill((byte) 0xFF);
      fixed(
          (BaseFixedWidthVector) a.getDataVector(),
          (BaseFixedWidthVector) b.getDataVector(),
          rows,
          a.getListSize(),
          count);
    } else {
      to.setInitialCapacity(count);
      to.allocateNew();
      for (int i = 0; i < count; i++) {
        to.copyFromSafe(rows[i], i, from);
      }
    }
    to.setValueCount(count);
  }

  private static boolean plain(FieldVector v) {
    return v instanceof BaseFixedWidthVector && !(v instanceof BitVector);
  }

  /** Copies runs of {@code width} elements. */
  private static void fixed(
      BaseFixedWidthVector from, BaseFixedWidthVector to, int[] rows, int width, int count) {
    to.allocateNew(count * width);
    BatchNumbers.segment(to.getValidityBuffer()).fill((byte) 0xFF);
    long size = (long) from.getTypeWidth() * width;
    var source = BatchNumbers.segment(from.getDataBuffer());
    var target = BatchNumbers.segment(to.getDataBuffer());
    for (int i = 0; i < count; ) {
      int run = 1; // Rows that follow each other are copied at once.
      while (i + run < count && rows[i + run] == rows[i] + run) {
        run++;
      }
      MemorySegment.copy(source, rows[i] * size, target, i * size, run * size);
      i += run;
    }
    to.setValueCount(count * width);
  }

  @Override
  public void close() {
    try (memory) {
      root.close();
    }
  }
}
