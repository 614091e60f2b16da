package dev.kenaz.arrow;

import static dev.kenaz.arrow.Faults.fault;
import static dev.kenaz.error.ErrorCode.K6104;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Finds the columns that names and patterns mean. In a pattern, {@code *} stands for any
 * characters. The columns of a pattern are ordered as a reader would: numbers in their names by
 * their values, so that p2 comes before p10.
 */
public final class ColumnNames {
  private static final Pattern PART = Pattern.compile("[0-9]+|[^0-9]+");

  private ColumnNames() {}

  /**
   * Replaces patterns by the names that they match. A name that a column has is no pattern.
   *
   * @param file the name of the file that has the columns, for messages
   * @throws dev.kenaz.error.UserError K6104 if a pattern matches nothing
   */
  public static List<String> resolve(List<String> wanted, List<String> names, String file) {
    var resolved = new ArrayList<String>();
    for (var name : wanted) {
      if (name.indexOf('*') < 0 || names.contains(name)) {
        resolved.add(name);
        continue;
      }
      var matched = matching(name, names);
      if (matched.isEmpty()) {
        var some = names.subList(0, Math.min(names.size(), 5));
        throw fault(
            K6104,
            "no column of " + file + " matches \"" + name + "\"",
            "its columns are " + String.join(", ", some) + (names.size() > 5 ? ", ..." : ""));
      }
      resolved.addAll(matched);
    }
    return resolved;
  }

  private static List<String> matching(String pattern, List<String> names) {
    var pieces = Arrays.stream(pattern.split("[*]", -1)).map(Pattern::quote).toList();
    var regex = Pattern.compile(String.join(".*", pieces), Pattern.DOTALL);
    return names.stream()
        .filter(n -> regex.matcher(n).matches())
        .sorted(Comparator.comparing(ColumnNames::parts, ColumnNames::compare))
        .toList();
  }

  private static List<String> parts(String name) {
    return PART.matcher(name).results().map(MatchResult::group).toList();
  }

  private static int compare(List<String> a, List<String> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int order = comparePart(a.get(i), b.get(i));
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(a.size(), b.size());
  }

  private static int comparePart(String a, String b) {
    boolean numbers = isDigit(a.charAt(0)) && isDigit(b.charAt(0));
    int byValue = numbers ? new BigInteger(a).compareTo(new BigInteger(b)) : 0;
    return byValue != 0 ? byValue : a.compareTo(b);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
