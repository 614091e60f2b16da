package dev.kenaz.distribute;

import dev.kenaz.ir.Const;

/**
 * Decides how the pieces of an engine with machines come by the rows of a {@link Plan.Fetch}: each
 * asks the owners for the rows that it reads, by a shuffle, which answer by another one; or each is
 * sent all rows of the table by one shuffle.
 *
 * <p>To ask costs eight bytes and a row for each different number that a piece reads, and the tasks
 * of one more shuffle. So a table is sent if that isn't more bytes than can be sent in the time
 * that these tasks take to start.
 */
public final class WholeTable {
  /** Each task has the table in memory. */
  private static final double LARGEST = 32 << 20;

  /** So many bytes more may go to a piece. */
  private static final double MORE = Rates.SPARK.task() * Rates.SPARK.wire();

  private WholeTable() {}

  /**
   * Whether each piece is sent all rows. They aren't if it can't be told how large a row is.
   *
   * @param rows of the table
   * @param numbers how many rows read it, in all pieces
   */
  public static boolean isSent(Plan.Fetch fetch, double rows, double numbers, double pieces) {
    var type = fetch.from().type();
    double row = type.elemPrim().byteSize();
    for (var d : type.dims().subList(1, type.dims().size())) {
      row *= d instanceof Const(var size) ? size.asLong() : Double.NaN;
    }
    double all = rows * row;
    double asked = Math.min(numbers / pieces, rows) * (Long.BYTES + row);
    return all <= LARGEST && all - asked <= MORE;
  }
}
