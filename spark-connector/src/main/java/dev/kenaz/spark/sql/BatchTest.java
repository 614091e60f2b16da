package dev.kenaz.spark.sql;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.util.QuotingUtils;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.IsNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Not;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.StringStartsWith;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A condition of a query, as far as the ranges of a batch may refute it. What a condition is for a
 * row is true, false, or, where nulls are compared, neither.
 *
 * <p>Values are converted by the driver, since executors may be in another time zone.
 */
sealed interface BatchTest extends Serializable {
  /** How a cell is compared with a value. */
  enum Order {
    EQUAL,
    LESS,
    AT_MOST
  }

  /** Nothing is known of this condition. */
  record Unknown() implements BatchTest {}

  /**
   * @param column its number among those that the query needs
   * @param value in the form that Spark has within itself
   */
  record Compared(int column, Order order, Object value) implements BatchTest {}

  record Prefix(int column, UTF8String text) implements BatchTest {}

  record Missing(int column) implements BatchTest {}

  record All(List<BatchTest> parts) implements BatchTest {}

  record Any(List<BatchTest> parts) implements BatchTest {}

  record Opposite(BatchTest of) implements BatchTest {}

  /** What is known of a column of a batch. It says nothing of a row that it doesn't know. */
  interface Cells {
    /** Whether some rows may be null. */
    boolean mayBeNull(int column);

    /** Whether some rows may have a value. */
    boolean mayHaveValues(int column);

    /** Whether all values lie between two that {@link #least} and {@link #most} compare. */
    boolean hasRange(int column);

    /** Compares the least value with another one. */
    int least(int column, Object value);

    /** Compares the greatest value with another one. */
    int most(int column, Object value);

    /** Whether the least value begins with a text. */
    boolean leastBegins(int column, UTF8String text);
  }

  /** Whether this may be true, or false, for some row of a batch. */
  default boolean mayBe(boolean outcome, Cells of) {
    return switch (this) {
      case Unknown _ -> true;
      case Missing m -> outcome ? of.mayBeNull(m.column) : of.mayHaveValues(m.column);
      case All a ->
          outcome
              ? a.parts.stream().allMatch(p -> p.mayBe(true, of))
              : a.parts.stream().anyMatch(p -> p.mayBe(false, of));
      case Any a ->
          outcome
              ? a.parts.stream().anyMatch(p -> p.mayBe(true, of))
              : a.parts.stream().allMatch(p -> p.mayBe(false, of));
      case Opposite o -> o.of.mayBe(!outcome, of);
      case Prefix p -> of.mayHaveValues(p.column) && (!outcome || mayBegin(p, of));
      case Compared c -> of.mayHaveValues(c.column) && mayBe(c, outcome, of);
    };
  }

  private static boolean mayBegin(Prefix p, Cells of) {
    boolean before = of.hasRange(p.column) && of.most(p.column, p.text) < 0;
    boolean behind =
        of.hasRange(p.column)
            && of.least(p.column, p.text) > 0
            && !of.leastBegins(p.column, p.text);
    return !before && !behind;
  }

  private static boolean mayBe(Compared c, boolean outcome, Cells of) {
    if (!of.hasRange(c.column)) {
      return true;
    }
    int least = of.least(c.column, c.value);
    int most = of.most(c.column, c.value);
    return switch (c.order) {
      case EQUAL -> outcome ? least <= 0 && most >= 0 : least != 0 || most != 0;
      case LESS -> outcome ? least < 0 : most >= 0;
      case AT_MOST -> outcome ? least <= 0 : most > 0;
    };
  }

  /** Returns the test for filters that all must be true for a row that the query needs. */
  static BatchTest of(List<Filter> filters, StructType columns) {
    return new All(filters.stream().map(f -> of(f, columns)).toList());
  }

  private static BatchTest of(Filter filter, StructType columns) {
    return switch (filter) {
      case And f -> new All(List.of(of(f.left(), columns), of(f.right(), columns)));
      case Or f -> new Any(List.of(of(f.left(), columns), of(f.right(), columns)));
      case Not f -> new Opposite(of(f.child(), columns));
      default ->
          column(filter, columns).stream()
              .mapToObj(c -> leaf(filter, c, columns.fields()[c].dataType()))
              .findFirst()
              .orElse(new Unknown());
    };
  }

  /**
   * Returns the column that a filter is about; nothing for a part of a column.
   *
   * <p>Spark gives this source the names as they are, and in backticks, where they need them, if
   * its configuration has filters of parts of columns pushed down. Its own way to split a name,
   * {@code v2references}, can't read names as they are that have blanks, for example. A dot is in
   * no such name, so what has one is a part of a column.
   */
  private static OptionalInt column(Filter filter, StructType columns) {
    var names = filter.references();
    var found =
        IntStream.range(0, columns.length())
            .filter(c -> names.length == 1 && isNamed(columns.fields()[c].name(), names[0]))
            .toArray();
    return found.length == 1 ? OptionalInt.of(found[0]) : OptionalInt.empty();
  }

  private static boolean isNamed(String column, String name) {
    return column.equals(name) && column.indexOf('.') < 0
        || QuotingUtils.quoteIfNeeded(column).equals(name);
  }

  private static BatchTest leaf(Filter filter, int c, DataType type) {
    return switch (filter) {
      case IsNull _ -> new Missing(c);
      case IsNotNull _ -> new Opposite(new Missing(c));
      case EqualTo f -> compared(c, Order.EQUAL, f.value(), type);
      case LessThan f -> compared(c, Order.LESS, f.value(), type);
      case LessThanOrEqual f -> compared(c, Order.AT_MOST, f.value(), type);
      case GreaterThan f -> new Opposite(compared(c, Order.AT_MOST, f.value(), type));
      case GreaterThanOrEqual f -> new Opposite(compared(c, Order.LESS, f.value(), type));
      case EqualNullSafe f when f.value() == null -> new Missing(c);
      case EqualNullSafe f ->
          new All(List.of(new Opposite(new Missing(c)), compared(c, Order.EQUAL, f.value(), type)));
      case In f ->
          new Any(
              Arrays.stream(f.values())
                  .filter(Objects::nonNull) // Nothing equals it.
                  .map(v -> compared(c, Order.EQUAL, v, type))
                  .toList());
      case StringStartsWith f when type.equals(DataTypes.StringType) ->
          new Prefix(c, UTF8String.fromString(f.value()));
      default -> new Unknown();
    };
  }

  private static BatchTest compared(int column, Order order, Object value, DataType type) {
    return SparkValues.exact(value, type)
        .<BatchTest>map(v -> new Compared(column, order, v))
        .orElse(new Unknown());
  }
}
