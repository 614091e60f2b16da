package dev.kenaz.jobs;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Texts that no output of this process has, such as values of environment variables. In their place
 * stands where they come from.
 */
public final class HiddenText {
  /** Shorter ones are no secret, and would be found in any text. */
  private static final int SHORTEST = 4;

  /** Names by texts, the longest first: one may be a part of another. */
  private static final Map<String, String> NAMES =
      new ConcurrentSkipListMap<>(
          Comparator.comparingInt(String::length).reversed().thenComparing(t -> t));

  private HiddenText() {}

  /** Hides a text from now on. */
  public static void hide(String text, String name) {
    if (text.length() >= SHORTEST) {
      NAMES.put(text, name);
    }
  }

  static boolean isEmpty() {
    return NAMES.isEmpty();
  }

  /** Returns a text without those that are hidden. */
  public static String without(String text) {
    var shown = text;
    for (var n : NAMES.entrySet()) {
      shown = shown.replace(n.getKey(), n.getValue());
    }
    return shown;
  }
}
