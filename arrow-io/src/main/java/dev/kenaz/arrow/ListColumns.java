package dev.kenaz.arrow;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names of what is taken of a column of lists, which may have different lengths: {@code
 * elements(words)} is a column of the elements of all lists, one list after the other, and {@code
 * lengths(words)} a column of their numbers, with a row for each row of the file. A column of the
 * file that has such a name itself is meant instead.
 */
public final class ListColumns {
  private static final Pattern ELEMENTS = Pattern.compile("elements\\((.+)\\)", Pattern.DOTALL);
  private static final Pattern LENGTHS = Pattern.compile("lengths\\((.+)\\)", Pattern.DOTALL);

  private ListColumns() {}

  /** Returns the name of the column whose elements are meant, if elements are. */
  static Optional<String> ofElements(String name) {
    return in(ELEMENTS, name);
  }

  /** Returns the name of the column whose lengths are meant, if lengths are. */
  static Optional<String> ofLengths(String name) {
    return in(LENGTHS, name);
  }

  /** Whether the rows of a column are elements of lists, rather than rows of its file. */
  public static boolean hasElements(List<String> columns) {
    return columns.size() == 1 && ofElements(columns.getFirst()).isPresent();
  }

  /** Whether a column's numbers are the lengths of lists. */
  public static boolean isLengths(String column) {
    return ofLengths(column).isPresent();
  }

  /** Returns the name of the column of the file that a name is about. */
  public static String column(String name) {
    return ofElements(name).or(() -> ofLengths(name)).orElse(name);
  }

  private static Optional<String> in(Pattern pattern, String name) {
    var found = pattern.matcher(name);
    return found.matches() ? Optional.of(found.group(1)) : Optional.empty();
  }
}
