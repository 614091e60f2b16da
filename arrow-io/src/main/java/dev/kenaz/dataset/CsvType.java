package dev.kenaz.dataset;

import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.value.Prim;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** The type of a column of text fields. */
public sealed interface CsvType {

  /** Numbers and truth values. */
  record Number(Prim prim) implements CsvType {}

  /**
   * Strings.
   *
   * @param integers whether all of them are integers so far, of which some are beyond i64. No type
   *     of numbers holds these exactly, so they stay strings, unless numbers that aren't integers
   *     show that the column is rounded anyway
   */
  record Text(boolean integers) implements CsvType {}

  /** Days, as in 2026-11-24. */
  record Date() implements CsvType {}

  /**
   * Points of time, as in 2026-11-24T10:30:00.123456, in microseconds.
   *
   * @param zoned whether they have a zone, as in 2026-11-24T10:30:00Z or +01:00; they are kept in
   *     universal time then
   */
  record Timestamp(boolean zoned) implements CsvType {}

  /**
   * Decimal fractions.
   *
   * @param precision the number of digits, from 1 to 38
   * @param scale how many of them are behind the point
   */
  record Decimal(int precision, int scale) implements CsvType {
    /** Returns the decimal fraction that a text is; nothing if it is none, or has more digits. */
    Optional<BigDecimal> exact(String text) {
      try {
        var exact = new BigDecimal(text).stripTrailingZeros();
        if (exact.signum() == 0) {
          return Optional.of(BigDecimal.valueOf(0, scale));
        }
        // Digits are counted before zeros are appended, of which an exponent may make billions.
        long before = (long) exact.precision() - exact.scale();
        return exact.scale() <= scale && before <= precision - scale
            ? Optional.of(exact.setScale(scale))
            : Optional.empty();
      } catch (NumberFormatException | ArithmeticException _) {
        return Optional.empty();
      }
    }
  }

  CsvType TEXT = new Text(false);
  CsvType INTEGERS = new Text(true);
  CsvType DATE = new Date();
  Pattern INTEGER = Pattern.compile("[+-]?\\d{19,}");
  Pattern DECIMAL = Pattern.compile("decimal\\((\\d{1,2}),\\s*(\\d{1,2})\\)");

  /** Returns the type of a name such as {@code f32}, {@code string} or {@code decimal(10,2)}. */
  static Optional<CsvType> named(String name) {
    var decimal = DECIMAL.matcher(name);
    if (decimal.matches()) {
      int precision = Integer.parseInt(decimal.group(1));
      int scale = Integer.parseInt(decimal.group(2));
      return precision >= 1 && precision <= 38 && scale <= precision
          ? Optional.of(new Decimal(precision, scale))
          : Optional.empty();
    }
    return switch (name) {
      case "string" -> Optional.of(TEXT);
      case "date" -> Optional.of(DATE);
      case "timestamp" -> Optional.of(new Timestamp(false));
      case "timestamp(utc)" -> Optional.of(new Timestamp(true));
      default -> Prim.named(name).map(Number::new);
    };
  }

  /** Whether a text is an integer beyond i64. */
  static boolean isBeyond(String text) {
    return INTEGER.matcher(text).matches() && new BigInteger(text).bitLength() > 63;
  }

  /** Returns the name of the type. */
  default String text() {
    return switch (this) {
      case Number n -> n.prim().text();
      case Text _ -> "string";
      case Date _ -> "date";
      case Timestamp t -> t.zoned() ? "timestamp(utc)" : "timestamp";
      case Decimal d -> "decimal(%d,%d)".formatted(d.precision(), d.scale());
    };
  }

  /** Returns a column of this type. Whatever isn't a number may be null. */
  default Field field(String name, boolean nullableNumbers) {
    return switch (this) {
      case Number n -> {
        var plain = ColumnInfo.field(name, n.prim(), 1, false);
        yield nullableNumbers ? nullable(name, plain.getType()) : plain;
      }
      case Text _ -> nullable(name, ArrowType.Utf8.INSTANCE);
      case Date _ -> nullable(name, new ArrowType.Date(DateUnit.DAY));
      case Timestamp t ->
          nullable(name, new ArrowType.Timestamp(TimeUnit.MICROSECOND, t.zoned() ? "UTC" : null));
      case Decimal d -> nullable(name, new ArrowType.Decimal(d.precision(), d.scale(), 128));
    };
  }

  private static Field nullable(String name, ArrowType type) {
    return new Field(name, FieldType.nullable(type), List.of());
  }

  /**
   * Returns the narrowest type that holds what both hold; strings hold everything. A type that is
   * null has no values yet.
   */
  static CsvType join(CsvType a, CsvType b) {
    if (a == null || a.equals(b)) {
      return b;
    }
    if (b == null) {
      return a;
    }
    if (a instanceof Number(var p) && b instanceof Number(var q)) {
      return p == Prim.BOOL || q == Prim.BOOL ? TEXT : new Number(Prim.F64);
    }
    if (a instanceof Number(var p) && b instanceof Text(var integers) && integers) {
      return withIntegers(p);
    }
    if (b instanceof Number(var q) && a instanceof Text(var integers) && integers) {
      return withIntegers(q);
    }
    boolean days = a instanceof Date && b instanceof Timestamp(var zoned) && !zoned;
    boolean times = b instanceof Date && a instanceof Timestamp(var zoned) && !zoned;
    return days ? b : times ? a : TEXT;
  }

  private static CsvType withIntegers(Prim numbers) {
    return numbers == Prim.BOOL ? TEXT : numbers.isFloat() ? new Number(Prim.F64) : INTEGERS;
  }
}
