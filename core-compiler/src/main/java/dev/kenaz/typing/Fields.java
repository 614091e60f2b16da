package dev.kenaz.typing;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Orders the names of record fields: numbers come first and by value, then the rest alphabetically.
 */
public final class Fields {
  public static final Comparator<String> ORDER =
      (a, b) -> {
        boolean na = isNumber(a);
        boolean nb = isNumber(b);
        if (na && nb) {
          return a.length() != b.length()
              ? Integer.compare(a.length(), b.length())
              : a.compareTo(b);
        }
        return na == nb ? a.compareTo(b) : na ? -1 : 1;
      };

  private Fields() {}

  private static boolean isNumber(String s) {
    return !s.isEmpty() && s.charAt(0) >= '0' && s.charAt(0) <= '9';
  }

  /**
   * Whether the names are those of a tuple's fields: {@code 0}, {@code 1}, … in {@link #ORDER}, and
   * not just one.
   */
  public static boolean isTuple(Collection<String> names) {
    if (names.size() == 1) {
      return false;
    }
    int i = 0;
    for (var n : names) {
      if (!n.equals(Integer.toString(i++))) {
        return false;
      }
    }
    return true;
  }

  /** The fields of a tuple. */
  public static <T> SortedMap<String, T> tuple(List<T> elements) {
    SortedMap<String, T> fields = new TreeMap<>(ORDER);
    for (int i = 0; i < elements.size(); i++) {
      fields.put(Integer.toString(i), elements.get(i));
    }
    return fields;
  }

  /** An empty map with the right order. */
  public static <T> SortedMap<String, T> empty() {
    return new TreeMap<>(ORDER);
  }
}
