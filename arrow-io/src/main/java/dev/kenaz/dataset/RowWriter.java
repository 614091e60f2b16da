package dev.kenaz.dataset;

import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A file that rows are written into, batch after batch. It appears whole at {@link #commit}; if it
 * is closed before, nothing is left of it. One thread uses it.
 */
public interface RowWriter extends AutoCloseable {

  /**
   * Appends rows.
   *
   * @param batch remains the caller's; the writer doesn't keep it
   * @throws dev.kenaz.error.UserError K61xx if the format can't hold a value, naming column and row
   */
  void write(VectorSchemaRoot batch);

  /** Completes the file and puts it in its place. It is called once, after the last batch. */
  void commit();

  @Override
  void close();
}
