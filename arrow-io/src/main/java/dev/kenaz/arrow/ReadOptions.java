package dev.kenaz.arrow;

import java.util.List;

/**
 * Says what is read of a dataset.
 *
 * @param columns the names of the columns in the wanted order, each once, or patterns of them such
 *     as {@code p*}; empty for all columns in the order of the files
 * @param nulls what to do with a row where a wanted column is null
 */
public record ReadOptions(List<String> columns, Nulls nulls) {
  /** Says what happens to nulls. A null never becomes a number silently. */
  public enum Nulls {
    /** Reading fails with an error that names the column and the row. */
    ERROR,
    /** The whole row is left out. */
    DROP
  }

  /** Reads all columns; nulls are errors. */
  public static final ReadOptions ALL = new ReadOptions(List.of(), Nulls.ERROR);

  public ReadOptions {
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
  }

  /** Reads these columns; nulls are errors. */
  public static ReadOptions columns(String... names) {
    return new ReadOptions(List.of(names), Nulls.ERROR);
  }

  public ReadOptions withColumns(List<String> names) {
    return new ReadOptions(names, nulls);
  }

  public ReadOptions withNulls(Nulls policy) {
    return new ReadOptions(columns, policy);
  }
}
