package dev.kenaz.dataset;

import java.io.IOException;
import org.apache.arrow.vector.VectorSchemaRoot;

/** Writes the bytes of a format, wherever they go. The schema is known when it is made. */
interface RowSink extends AutoCloseable {

  /**
   * Appends rows.
   *
   * @throws dev.kenaz.error.UserError K6143 if the format can't hold a value
   */
  void write(VectorSchemaRoot batch) throws IOException;

  /** Writes what stands behind the last row. */
  void end() throws IOException;

  /** Releases what it holds besides the stream of bytes, which isn't its own. */
  @Override
  default void close() throws IOException {}
}
