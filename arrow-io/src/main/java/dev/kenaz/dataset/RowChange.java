package dev.kenaz.dataset;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/** Something that is done with rows on their way, batch after batch. */
public interface RowChange {

  /**
   * Returns the columns that come out.
   *
   * @param in the columns that come in
   * @throws dev.kenaz.error.UserError K61xx if it can't be done with such columns
   */
  Schema schema(Schema in);

  /**
   * Begins with the rows of a part.
   *
   * @param in the columns that come in
   * @param part the number of the part
   * @param name what messages call the part
   */
  Step begin(Schema in, int part, String name);

  /** The work on the rows of one part, by one thread. */
  interface Step extends AutoCloseable {

    /**
     * Changes rows.
     *
     * @param batch belongs to the caller
     * @return rows that are valid until the next call; there may be none. The batch is in use as
     *     long
     */
    VectorSchemaRoot apply(VectorSchemaRoot batch);

    /** Gives memory back. */
    @Override
    void close();
  }

  /** A step that holds no memory. */
  @FunctionalInterface
  interface View extends Step {
    @Override
    default void close() {}
  }
}
