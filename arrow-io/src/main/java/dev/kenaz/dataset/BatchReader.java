package dev.kenaz.dataset;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Keeps the batch that a reader fills again and again, and its memory. */
abstract class BatchReader implements RowReader {
  /** So many elements a batch has at most, where a row has many. */
  static final int BATCH_ELEMENTS = 1 << 22;

  private final Schema schema;
  private final BufferAllocator memory;
  private final VectorSchemaRoot batch;

  /**
   * @param name what is read
   */
  BatchReader(String name, Schema schema) {
    this.schema = schema;
    this.memory = BatchMemory.of(name);
    this.batch = VectorSchemaRoot.create(schema, memory);
  }

  /**
   * Puts the next rows into the vectors of the batch, which are empty.
   *
   * @return how many rows these are; 0 at the end
   */
  abstract int fill(VectorSchemaRoot batch);

  @Override
  public final Schema schema() {
    return schema;
  }

  @Override
  public final VectorSchemaRoot next() {
    batch.clear();
    int rows = fill(batch);
    batch.setRowCount(rows);
    return rows == 0 ? null : batch;
  }

  @Override
  public void close() {
    batch.close();
    memory.close();
  }
}
