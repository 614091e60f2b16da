package dev.kenaz.jobs.config;

import java.util.Comparator;
import java.util.List;

/** Guesses which name was meant. */
public final class Nearest {
  private Nearest() {}

  /** "did you mean" the nearest name, or all the names there are if none is near. */
  public static String hint(String written, List<String> names) {
    var best = names.stream().min(Comparator.comparingInt(n -> distance(written, n)));
    if (best.isPresent() && distance(written, best.get()) <= Math.max(2, written.length() / 3)) {
      return "did you mean \"" + best.get() + "\"?";
    }
    return names.isEmpty() ? "" : "there are: " + String.join(", ", names);
  }

  /** Insertions, deletions and replacements from one to the other, ignoring case. */
  static int distance(String from, String to) {
    var a = from.toLowerCase(java.util.Locale.ROOT);
    var b = to.toLowerCase(java.util.Locale.ROOT);
    var row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replace, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
