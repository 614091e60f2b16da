package dev.kenaz.dataset;

import dev.kenaz.value.TextPrinter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.LargeVarCharVector;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.types.pojo.ArrowType;

/**
 * Writes the values of a column as text: numbers as the shortest decimals that read back as the
 * same numbers, days and times as ISO 8601 writes them.
 *
 * @param isNumber whether the text stands for a number or a truth value
 * @param printer gives the text of a value that isn't null
 */
record CellText(boolean isNumber, Printer printer) {

  /** Gives the text of a value. */
  interface Printer {
    String text(int i);
  }

  /** Returns what writes a column; nothing if its values have no common form as text. */
  static Optional<CellText> of(FieldVector v) {
    var numbers = NumberVector.of(v);
    if (numbers.isPresent()) {
      return Optional.of(new CellText(true, i -> number(numbers.get(), i)));
    }
    return switch (v) {
      case VarCharVector t -> text(i -> new String(t.get(i), StandardCharsets.UTF_8));
      case ViewVarCharVector t -> text(i -> new String(t.get(i), StandardCharsets.UTF_8));
      case LargeVarCharVector t -> text(i -> new String(t.get(i), StandardCharsets.UTF_8));
      case DecimalVector d -> number(i -> d.getObject(i).toPlainString());
      case Decimal256Vector d -> number(i -> d.getObject(i).toPlainString());
      case DateDayVector _, DateMilliVector _ ->
          text(i -> LocalDate.ofEpochDay(day(v, i)).toString());
      case TimeStampVector t -> text(timestamp(t));
      case TimeSecVector t -> text(i -> time(TimeUnit.SECONDS.toNanos(t.get(i))));
      case TimeMilliVector t -> text(i -> time(TimeUnit.MILLISECONDS.toNanos(t.get(i))));
      case TimeMicroVector t -> text(i -> time(TimeUnit.MICROSECONDS.toNanos(t.get(i))));
      case TimeNanoVector t -> text(i -> time(t.get(i)));
      default -> Optional.empty();
    };
  }

  private static Optional<CellText> text(Printer printer) {
    return Optional.of(new CellText(false, printer));
  }

  private static Optional<CellText> number(Printer printer) {
    return Optional.of(new CellText(true, printer));
  }

  /** Returns a number as text. */
  static String number(NumberVector numbers, int i) {
    return TextPrinter.digits(numbers.type(), numbers.get(i));
  }

  /** Returns the days since 1970 of a column of days, which Arrow may count in milliseconds. */
  static long day(FieldVector v, int i) {
    return v instanceof DateMilliVector d
        ? Math.floorDiv(d.get(i), TimeUnit.DAYS.toMillis(1))
        : ((DateDayVector) v).get(i);
  }

  /** Returns how many units of a column of points of time are a second. */
  static long perSecond(ArrowType.Timestamp type) {
    return switch (type.getUnit()) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> 1_000_000_000;
    };
  }

  private static String time(long nanos) {
    return DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(nanos));
  }

  private static Printer timestamp(TimeStampVector vector) {
    var type = (ArrowType.Timestamp) vector.getField().getType();
    long second = perSecond(type);
    var end = type.getTimezone() == null ? "" : "Z";
    return i -> {
      long time = vector.get(i);
      long nanos = Math.floorMod(time, second) * (1_000_000_000 / second);
      var at = Instant.ofEpochSecond(Math.floorDiv(time, second), nanos);
      var local = LocalDateTime.ofInstant(at, ZoneOffset.UTC);
      return DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(local) + end;
    };
  }
}
