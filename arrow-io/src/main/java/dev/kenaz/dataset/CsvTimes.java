package dev.kenaz.dataset;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.OptionalLong;

/** Reads days and points of time as ISO 8601 writes them, without making text of them. */
final class CsvTimes {
  private static final int DATE = 10;
  private static final int TIME = 19;
  private static final long DAY = 86_400_000_000L;

  private CsvTimes() {}

  /** Returns the days since 1970 of a text such as 2026-11-24; nothing if it is no day. */
  static OptionalLong date(String text) {
    return text.length() == DATE ? day(text) : OptionalLong.empty();
  }

  private static OptionalLong day(String text) {
    if (text.charAt(4) != '-' || text.charAt(7) != '-') {
      return OptionalLong.empty();
    }
    int year = number(text, 0, 4);
    int month = number(text, 5, 7);
    int day = number(text, 8, DATE);
    if (year < 0 || month < 1 || month > 12 || day < 1) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(LocalDate.of(year, month, day).toEpochDay());
    } catch (DateTimeException _) { // That month has no such day.
      return OptionalLong.empty();
    }
  }

  /** Whether a text that may be a point of time says its zone. */
  static boolean zoned(String text) {
    return text.length() > TIME
        && (text.endsWith("Z") || text.indexOf('+', TIME) > 0 || text.indexOf('-', TIME) > 0);
  }

  /**
   * Returns the microseconds since 1970 of a text such as 2026-11-24T10:30:00.25, in which a space
   * may take the place of the T; nothing if it is none, or has more than six digits of a second. A
   * day alone is its first moment if there is no zone.
   */
  static OptionalLong timestamp(String text, boolean zoned) {
    if (text.length() == DATE && !zoned) {
      var days = day(text);
      return days.isPresent() ? OptionalLong.of(days.getAsLong() * DAY) : days;
    }
    if (text.length() < TIME
        || text.charAt(DATE) != 'T' && text.charAt(DATE) != ' '
        || text.charAt(13) != ':'
        || text.charAt(16) != ':') {
      return OptionalLong.empty();
    }
    var days = day(text);
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, TIME);
    int end = TIME;
    long micros = 0;
    if (text.length() > TIME && text.charAt(TIME) == '.') {
      end = TIME + 1;
      while (end < text.length() && Character.isDigit(text.charAt(end))) {
        end++;
      }
      int digits = end - TIME - 1;
      if (digits < 1 || digits > 6) {
        return OptionalLong.empty();
      }
      micros = number(text, TIME + 1, end);
      for (int i = digits; i < 6; i++) {
        micros *= 10;
      }
    }
    var offset = offset(text.substring(end), zoned);
    if (days.isEmpty()
        || offset.isEmpty()
        || hour < 0
        || hour > 23
        || minute < 0
        || minute > 59
        || second < 0
        || second > 59) {
      return OptionalLong.empty();
    }
    long seconds = (hour * 60L + minute) * 60 + second - offset.getAsLong();
    return OptionalLong.of(days.getAsLong() * DAY + seconds * 1_000_000 + micros);
  }

  /** Returns the seconds by which the clocks of a zone are ahead of universal time. */
  private static OptionalLong offset(String zone, boolean zoned) {
    if (zone.isEmpty() || !zoned) {
      return zone.isEmpty() && !zoned ? OptionalLong.of(0) : OptionalLong.empty();
    }
    if (zone.equals("Z")) {
      return OptionalLong.of(0);
    }
    var plain = zone.replace(":", "");
    boolean signed = plain.charAt(0) == '+' || plain.charAt(0) == '-';
    if (!signed || plain.length() != 3 && plain.length() != 5) {
      return OptionalLong.empty();
    }
    int hours = number(plain, 1, 3);
    int minutes = plain.length() == 5 ? number(plain, 3, 5) : 0;
    if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) {
      return OptionalLong.empty();
    }
    long seconds = (hours * 60L + minutes) * 60;
    return OptionalLong.of(plain.charAt(0) == '-' ? -seconds : seconds);
  }

  private static int number(String text, int from, int to) {
    int x = 0;
    for (int i = from; i < to; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      x = 10 * x + digit;
    }
    return x;
  }
}
