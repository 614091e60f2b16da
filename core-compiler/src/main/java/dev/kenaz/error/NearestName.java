package dev.kenaz.error;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds what the user probably meant, for "did you mean" hints. */
public final class NearestName {
  /** How many names a reader takes in at a glance. */
  private static final int FEW = 3;

  /** So many names are all listed. */
  private static final int SOME = 12;

  private NearestName() {}

  /**
   * The known name with the fewest single-character edits (insert, delete, replace, swap of
   * neighbours; letter case is free) from the one given, unless that would change more than a third
   * of it. Of several equally near ones, the first alphabetically.
   */
  public static Optional<String> of(String name, Collection<String> known) {
    int most = Math.max(1, name.length() / 3);
    return known.stream()
        .filter(k -> Math.abs(k.length() - name.length()) <= most && edits(name, k) <= most)
        .min(Comparator.comparingInt((String k) -> edits(name, k)).thenComparing(k -> k));
  }

  /** Returns a hint such as {@code did you mean "time"?}, or nothing if no known name is near. */
  public static String[] hint(String name, Collection<String> known) {
    return of(name, known)
        .map(k -> new String[] {"did you mean \"" + k + "\"?"})
        .orElse(new String[0]);
  }

  /**
   * A hint as above or, where none of the names is near, one that lists some of them: a file may
   * have thousands of columns.
   *
   * @param kind what the names are of, such as {@code its columns are}
   */
  public static String[] hintOrFew(String name, Collection<String> known, String kind) {
    var near = hint(name, known);
    return near.length > 0 || known.isEmpty() ? near : new String[] {kind + " " + few(name, known)};
  }

  /** The names that differ least, and how many more there are. */
  public static String few(String name, Collection<String> known) {
    int most = known.size() <= SOME ? SOME : FEW;
    var nearest =
        known.stream().sorted(Comparator.comparingInt(k -> edits(name, k))).limit(most).toList();
    int more = known.size() - nearest.size();
    return String.join(", ", nearest) + (more == 0 ? "" : " and " + more + " more");
  }

  /** Computes the optimal string alignment distance, row by row. */
  private static int edits(String first, String second) {
    var a = first.toLowerCase(Locale.ROOT);
    var b = second.toLowerCase(Locale.ROOT);
    var rows = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          rows[i][j] = i + j;
          continue;
        }
        int replaced = rows[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int least = Math.min(replaced, 1 + Math.min(rows[i - 1][j], rows[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        rows[i][j] = swapped ? Math.min(least, rows[i - 2][j - 2] + 1) : least;
      }
    }
    return rows[a.length()][b.length()];
  }
}
