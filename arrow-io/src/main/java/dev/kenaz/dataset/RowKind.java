package dev.kenaz.dataset;

import java.util.List;
import java.util.random.RandomGenerator;
import org.apache.arrow.vector.types.pojo.Schema;

/** A kind of rows that are made of random numbers. */
public interface RowKind {

  /** Returns how many rows there are. */
  long rows();

  /** Returns what the random numbers depend on, besides the number of the row. */
  long seed();

  /** Returns the columns: of numbers, and of lists of them. */
  Schema schema();

  /** Returns about how many numbers a row has. */
  int width();

  /** Returns what makes rows. Several threads may use it. */
  Maker maker();

  /** Makes rows. */
  @FunctionalInterface
  interface Maker {
    /**
     * Makes a row.
     *
     * @param random a stream of this row's own
     * @param row its number, from 0
     * @param columns take the numbers of each column, in normal form, one after the other
     */
    void row(RandomGenerator random, long row, List<Numbers> columns);
  }

  /** Takes the numbers that a row has in a column. */
  @FunctionalInterface
  interface Numbers {
    void add(long bits);
  }
}
