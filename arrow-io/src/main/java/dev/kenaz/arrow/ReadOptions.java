package dev.kenaz.arrow;

import java.util.List;

/**
 * What to read of a dataset.
 *
 * @param columns names in the order wanted, each once; empty for all columns in file order
 * @param nulls what to do with a row where a wanted column is null
 */
public record ReadOptions(List<String> columns, Nulls nulls) {
  /** A null is never silently a number. */
  public enum Nulls {
    /** Reading fails, naming column and row. */
    ERROR,
    /** The whole row is left out. */
    DROP
  }

  /** All columns; nulls are errors. */
  public static final ReadOptions ALL = new ReadOptions(List.of(), Nulls.ERROR);

  public ReadOptions {
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
  }

  /** These columns; nulls are errors. */
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
