package dev.kenaz.distribute;

import dev.kenaz.value.ArrayValue;
import java.io.Serializable;

/**
 * The place of a row-wise value outside of the engine, where another run finds it: a file for each
 * piece. The processes that have the pieces write and read them, several at once.
 */
public interface RowFiles extends Serializable {
  /** Writes a piece's rows. If it is called again for a piece, the last call counts. */
  void write(int piece, ArrayValue rows);

  /**
   * Reads a piece's rows.
   *
   * @throws dev.kenaz.error.UserError if they aren't there as they were written
   */
  ArrayValue read(int piece);
}
