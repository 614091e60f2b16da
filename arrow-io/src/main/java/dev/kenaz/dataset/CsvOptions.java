package dev.kenaz.dataset;

import dev.kenaz.arrow.Faults;
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
 *     from the whole file: bool, i64, f64, date, timestamp or string
 * @param missing what to do about missing fields
 * @param missingWords what a missing field looks like, apart from being empty
 */
public record CsvOptions(
    char separator,
    boolean header,
    List<String> columns,
    Map<String, CsvType> types,
    Optional<CsvType> defaultType,
    Missing missing,
    Set<String> missingWords) {

  /**
   * Says what happens to a row in which a field is missing. Whatever isn't a number is null then,
   * unless the row is left out.
   */
  public enum Missing {
    /** A missing number is an error that names the line. */
    ERROR,
    /** The row is left out. */
    DROP,
    /** The field is NaN. Its column must be one of floats, and is inferred as such. */
    NAN,
    /** The field is null. */
    NULL
  }

  /** The default: commas, a header, inferred types, and missing fields are errors. */
  public static final CsvOptions DEFAULT =
      new CsvOptions(
          ',',
          true,
          List.of(),
          Map.of(),
          Optional.empty(),
          Missing.ERROR,
          Set.of("NA", "N/A", "null", "NULL"));

  public CsvOptions {
    columns = List.copyOf(columns);
    Faults.requireDistinct(columns);
    types = Map.copyOf(types);
    missingWords = Set.copyOf(missingWords);
  }

  public CsvOptions withSeparator(char c) {
    return new CsvOptions(c, header, columns, types, defaultType, missing, missingWords);
  }

  public CsvOptions withHeader(boolean present) {
    return new CsvOptions(separator, present, columns, types, defaultType, missing, missingWords);
  }

  public CsvOptions withColumns(List<String> names) {
    return new CsvOptions(separator, header, names, types, defaultType, missing, missingWords);
  }

  public CsvOptions withTypes(Map<String, CsvType> byName) {
    return new CsvOptions(separator, header, columns, byName, defaultType, missing, missingWords);
  }

  public CsvOptions withDefaultType(CsvType type) {
    return new CsvOptions(
        separator, header, columns, types, Optional.of(type), missing, missingWords);
  }

  public CsvOptions withMissing(Missing policy) {
    return new CsvOptions(separator, header, columns, types, defaultType, policy, missingWords);
  }

  public boolean isMissing(String field) {
    return field.isEmpty() || missingWords.contains(field);
  }
}
