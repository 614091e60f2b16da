package dev.kenaz.dataset;

import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Rows in parts, such as the files of a dataset. Each part can be read independently of the others,
 * and as often as wanted, and gives the same rows each time. All parts have the same columns.
 */
public interface RowSource {

  /** Returns the columns of all parts. */
  Schema schema();

  /** Returns the number of parts. */
  int parts();

  /** Returns what messages call a part, such as the name of its file. */
  String name(int part);

  /** Returns how much work a part is in comparison with others, such as its size in bytes. */
  long weight(int part);

  /**
   * Begins to read a part. Readers of several parts may be used at the same time by several
   * threads.
   *
   * @throws dev.kenaz.error.UserError K61xx if it can't be read
   */
  RowReader open(int part);

  /**
   * Looks at all rows, because a reader has thrown {@link Contradiction}. The schema is another one
   * then.
   */
  default void settle() {
    throw new IllegalStateException("the types of these columns are known");
  }

  /** Tells that a row contradicts the types that were guessed by the first rows. */
  final class Contradiction extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Contradiction() {
      super("the type of a column is not that of its first rows", null, false, false);
    }
  }
}
