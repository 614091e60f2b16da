package dev.kenaz.spark.sql;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;

/** The values that filters of a query compare columns with. */
final class SparkValues {
  /** The types whose order is that of Arrow's values. Strings with a collation have another one. */
  private static final Set<DataType> ORDERED =
      Set.of(
          DataTypes.BooleanType,
          DataTypes.ByteType,
          DataTypes.ShortType,
          DataTypes.IntegerType,
          DataTypes.LongType,
          DataTypes.FloatType,
          DataTypes.DoubleType,
          DataTypes.DateType,
          DataTypes.TimestampType,
          DataTypes.TimestampNTZType,
          DataTypes.StringType);

  /** Before this day, classes of {@code java.sql} count days by another calendar than Spark. */
  private static final long FIRST_DAY = LocalDate.of(1900, 1, 2).toEpochDay();

  private SparkValues() {}

  static boolean ordered(DataType type) {
    return type instanceof DecimalType || ORDERED.contains(type);
  }

  /**
   * Returns the value that Spark had before it made a filter's value of it; nothing for null, for
   * types without an order here, and if it may have been another one. A day that a time zone has
   * left out is the same {@code java.sql.Date} as its neighbour.
   */
  static Optional<Object> exact(Object value, DataType type) {
    if (value == null || !ordered(type)) {
      return Optional.empty();
    }
    try {
      var found = CatalystTypeConverters.createToCatalystConverter(type).apply(value);
      return Optional.ofNullable(found).filter(v -> same(v, value, type) && unique(v, value, type));
    } catch (RuntimeException e) { // Spark has several exceptions for values of other types.
      return Optional.empty();
    }
  }

  private static boolean same(Object found, Object value, DataType type) {
    var again = CatalystTypeConverters.convertToScala(found, type);
    return again instanceof BigDecimal number
        ? number.compareTo((BigDecimal) value) == 0
        : again.equals(value);
  }

  private static boolean unique(Object found, Object value, DataType type) {
    if (type.equals(DataTypes.DateType)) {
      int day = (int) found;
      return day >= FIRST_DAY && !same(day - 1, value, type) && !same(day + 1, value, type);
    }
    return !type.equals(DataTypes.TimestampType)
        || (long) found >= TimeUnit.DAYS.toMicros(FIRST_DAY);
  }
}
