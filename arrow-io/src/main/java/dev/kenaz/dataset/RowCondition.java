package dev.kenaz.dataset;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6130;

import dev.kenaz.arrow.ColumnInfo;
import dev.kenaz.arrow.Faults;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Prim;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FloatingPointVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A condition on a row: comparisons of columns with constants, all of which must hold. A comparison
 * with a null doesn't hold, nor does one with NaN, except {@code !=}.
 *
 * @param text as the user wrote it
 */
public record RowCondition(String text, List<Comparison> comparisons) {
  private static final Pattern AND = Pattern.compile("\\s+and\\s+(?=(?:[^']*'[^']*')*[^']*$)");
  private static final Pattern COMPARED =
      Pattern.compile("\\s*([^<>=!]+?)\\s*(==|!=|<=|>=|<|>)\\s*('.*'|[^\\s']+)\\s*");
  private static final Pattern NULL = Pattern.compile("\\s*(.+?)\\s+is\\s+(not\\s+)?null\\s*");

  /** A comparison of a column with a constant. */
  public record Comparison(String column, String operator, String constant) {}

  public RowCondition {
    comparisons = List.copyOf(comparisons);
  }

  /**
   * Reads a condition such as {@code delay > 10 and carrier == 'AA' and day is not null}.
   *
   * @throws UserError K6130 if it is none
   */
  public static RowCondition of(String text) {
    var comparisons = new ArrayList<Comparison>();
    for (var part : AND.split(text)) {
      var isNull = NULL.matcher(part);
      var compared = COMPARED.matcher(part);
      if (isNull.matches()) {
        comparisons.add(
            new Comparison(isNull.group(1), isNull.group(2) == null ? "null" : "not null", ""));
      } else if (compared.matches()) {
        comparisons.add(new Comparison(compared.group(1), compared.group(2), compared.group(3)));
      } else {
        throw fault(
            K6130,
            "\"" + part + "\" is no condition",
            "write conditions as x > 3 and name == 'a b' and day is not null; for others, use a"
                + " program (--program)");
      }
    }
    return new RowCondition(text, comparisons);
  }

  /** Whether a condition holds. */
  interface Test {
    boolean holds(VectorSchemaRoot batch, long row);
  }

  /** Returns the condition on rows with these columns. */
  Test bind(Schema schema) {
    var tests = new ArrayList<Test>();
    for (var c : comparisons) {
      tests.add(bind(c, schema));
    }
    return (batch, row) -> {
      for (var t : tests) {
        if (!t.holds(batch, row)) {
          return false;
        }
      }
      return true;
    };
  }

  private static Test bind(Comparison c, Schema schema) {
    var names = schema.getFields().stream().map(Field::getName).toList();
    int column = names.indexOf(c.column());
    if (column < 0) {
      throw Faults.noColumn("the data", c.column(), names);
    }
    if (c.operator().endsWith("null")) {
      boolean wanted = c.operator().equals("null");
      return (batch, row) -> batch.getVector(column).isNull((int) row) == wanted;
    }
    var order = order(c, schema.getFields().get(column));
    var operator = c.operator();
    return (batch, row) -> {
      var vector = batch.getVector(column);
      return !vector.isNull((int) row) && holds(operator, order.compare(vector, (int) row));
    };
  }

  /** Stands for the comparison with NaN. */
  private static final int UNORDERED = 2;

  private static boolean holds(String operator, int order) {
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order == -1;
      case "<=" -> order == -1 || order == 0;
      case ">" -> order == 1;
      default -> order == 1 || order == 0;
    };
  }

  /** Compares a row with a constant. */
  private interface Order {
    int compare(FieldVector vector, int row);
  }

  private static Order order(Comparison c, Field field) {
    boolean quoted = c.constant().startsWith("'");
    var text = quoted ? c.constant().substring(1, c.constant().length() - 1) : c.constant();
    return switch (field.getType()) {
      case ArrowType.Utf8 _, ArrowType.LargeUtf8 _, ArrowType.Utf8View _ when quoted -> {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        yield (v, row) -> Integer.signum(java.util.Arrays.compareUnsigned(bytes(v, row), bytes));
      }
      case ArrowType.Bool _ when text.equals("true") || text.equals("false") -> {
        int wanted = text.equals("true") ? 1 : 0;
        yield (v, row) -> Integer.compare(((BitVector) v).get(row), wanted);
      }
      case ArrowType.Int i when !quoted -> integers(c, i, text);
      case ArrowType.FloatingPoint _ when !quoted -> {
        var number = CsvField.parse(text, Prim.F64);
        double wanted = Double.longBitsToDouble(number.orElseThrow(() -> wrong(c, field)));
        yield (v, row) -> {
          double x = ((FloatingPointVector) v).getValueAsDouble(row);
          return x < wanted ? -1 : x > wanted ? 1 : x == wanted ? 0 : UNORDERED;
        };
      }
      case ArrowType.Decimal _ when !quoted -> {
        var wanted = number(c, text);
        yield (v, row) -> Integer.signum(((BigDecimal) v.getObject(row)).compareTo(wanted));
      }
      case ArrowType.Date _ -> {
        long wanted = CsvTimes.date(text).orElseThrow(() -> wrong(c, field));
        yield (v, row) -> Long.compare(CellText.day(v, row), wanted);
      }
      case ArrowType.Timestamp t -> {
        long wanted =
            CsvTimes.timestamp(text, t.getTimezone() != null).orElseThrow(() -> wrong(c, field));
        yield (v, row) -> compare((TimeStampVector) v, row, wanted);
      }
      default -> throw wrong(c, field);
    };
  }

  private static Order integers(Comparison c, ArrowType.Int type, String text) {
    var wanted = number(c, text);
    if (type.getBitWidth() == 64 && !type.getIsSigned()) {
      return (v, row) ->
          Integer.signum(
              new BigDecimal(((UInt8Vector) v).getObjectNoOverflow(row)).compareTo(wanted));
    }
    var plain = wanted.stripTrailingZeros();
    if (plain.scale() <= 0 && (long) plain.precision() - plain.scale() < 19) {
      long whole = plain.longValueExact();
      return (v, row) -> Long.compare(((BaseIntVector) v).getValueAsLong(row), whole);
    }
    return (v, row) ->
        Integer.signum(
            BigDecimal.valueOf(((BaseIntVector) v).getValueAsLong(row)).compareTo(wanted));
  }

  private static byte[] bytes(FieldVector strings, int row) {
    return switch (strings) {
      case LargeVarCharVector v -> v.get(row);
      case ViewVarCharVector v -> v.get(row);
      default -> ((VarCharVector) strings).get(row);
    };
  }

  /**
   * Compares a point of time, in the unit of its column, with another one.
   *
   * @param micros microseconds since 1970
   */
  private static int compare(TimeStampVector v, int row, long micros) {
    long units = CellText.perSecond((ArrowType.Timestamp) v.getField().getType());
    long second = Math.floorDiv(v.get(row), units);
    long wanted = Math.floorDiv(micros, 1_000_000);
    if (second != wanted) {
      return Long.compare(second, wanted);
    }
    long nanos = Math.floorMod(v.get(row), units) * (1_000_000_000 / units);
    return Long.compare(nanos, Math.floorMod(micros, 1_000_000) * 1000L);
  }

  private static BigDecimal number(Comparison c, String text) {
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw fault(
          K6130, "\"" + text + "\" is no number, with which \"" + c.column() + "\" is compared");
    }
  }

  private static UserError wrong(Comparison c, Field field) {
    return fault(
        K6130,
        "column \"%s\" is %s, which can't be compared with %s"
            .formatted(c.column(), ColumnInfo.of(field).shownType(), c.constant()),
        "strings stand in quotes: name == 'a'; days and times as in 2026-11-24T10:30:00");
  }
}
