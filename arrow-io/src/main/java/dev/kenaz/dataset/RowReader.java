package dev.kenaz.dataset;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A stream of rows, which come in Arrow batches. One thread uses it.
 *
 * <p>The schema is complete before the first batch. Dictionary-encoded columns are decoded by their
 * reader, so no field of a schema has a dictionary.
 */
public interface RowReader extends AutoCloseable {

  /** So many rows a batch has at most; wide rows come in smaller batches. */
  int BATCH_ROWS = 1 << 16;

  /** Returns the columns. Their names are distinct. */
  Schema schema();

  /**
   * Returns the next rows, at least one; null after the last.
   *
   * @return a batch that belongs to the reader and is valid until the next call
   * @throws dev.kenaz.error.UserError K61xx if the rows can't be read, naming the file and the line
   *     or row
   */
  VectorSchemaRoot next();

  /** Returns which part of the bytes was read, from 0 to 1, for those who show progress. */
  double fraction();

  /** Returns how many rows of the file were left out so far. */
  default long dropped() {
    return 0;
  }

  @Override
  void close();
}
