package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Says how a CSV file is read, and what columns are made of it.
 *
 * @param separator the character between fields
 * @param header whether the first line names the columns; if not, these are {@code c0}, {@code c1},
 *     ...
 * @param columns the columns to import, in this order; empty for all
 * @param types the types of columns by name; the other columns have {@code defaultType}
 * @param defaultType the type of columns without one; if it is absent, their types are inferred
 *     from the whole file: bool, i64 or f64
 * @param groups runs of columns, each of which becomes one column of fixed-size lists
 * @param missing what to do about missing fields
 * @param missingWords what a missing field looks like, apart from being empty
 */
public record CsvOptions(
    char separator,
    boolean header,
    List<String> columns,
    Map<String, Prim> types,
    Optional<Prim> defaultType,
    List<Group> groups,
    Missing missing,
    Set<String> missingWords) {

  /** Says what happens to a row in which a field is missing. */
  public enum Missing {
    /** The import fails with an error that names the line. */
    ERROR,
    /** The row is left out. */
    DROP,
    /** The field is NaN. Its column must be one of floats, and is inferred as such. */
    NAN
  }

  /**
   * Neighbouring columns of one type that become a column of fixed-size lists.
   *
   * @param name the name of the list column
   * @param first the name of the first column
   * @param last the name of the last column
   */
  public record Group(String name, String first, String last) {}

  /** The default: commas, a header, inferred types, and missing fields are errors. */
  public static final CsvOptions DEFAULT =
      new CsvOptions(
          ',',
          true,
          List.of(),
          Map.of(),
          Optional.empty(),
          List.of(),
          Missing.ERROR,
          Set.of("NA", "N/A", "null", "NULL"));

  public CsvOptions {
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
    types = Map.copyOf(types);
    groups = List.copyOf(groups);
    missingWords = Set.copyOf(missingWords);
  }

  public CsvOptions withSeparator(char c) {
    return new CsvOptions(c, header, columns, types, defaultType, groups, missing, missingWords);
  }

  public CsvOptions withHeader(boolean present) {
    return new CsvOptions(
        separator, present, columns, types, defaultType, groups, missing, missingWords);
  }

  public CsvOptions withColumns(List<String> names) {
    return new CsvOptions(
        separator, header, names, types, defaultType, groups, missing, missingWords);
  }

  public CsvOptions withTypes(Map<String, Prim> byName) {
    return new CsvOptions(
        separator, header, columns, byName, defaultType, groups, missing, missingWords);
  }

  public CsvOptions withDefaultType(Prim type) {
    return new CsvOptions(
        separator, header, columns, types, Optional.of(type), groups, missing, missingWords);
  }

  public CsvOptions withGroups(List<Group> runs) {
    return new CsvOptions(
        separator, header, columns, types, defaultType, runs, missing, missingWords);
  }

  public CsvOptions withMissing(Missing policy) {
    return new CsvOptions(
        separator, header, columns, types, defaultType, groups, policy, missingWords);
  }

  public boolean isMissing(String field) {
    return field.isEmpty() || missingWords.contains(field);
  }
}
