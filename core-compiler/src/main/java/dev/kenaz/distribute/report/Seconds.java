package dev.kenaz.distribute.report;

import java.util.ArrayList;
import java.util.Locale;

/**
 * How long something takes by estimate; NaN where that depends on sizes that aren't known.
 *
 * @param compute seconds for operations on numbers, and for access to single places in memory
 * @param memory seconds for rows that pass between memory and cores
 * @param network seconds for what moves between machines
 * @param starting seconds until tasks have begun
 */
record Seconds(double compute, double memory, double network, double starting) {
  static final Seconds NONE = new Seconds(0, 0, 0, 0);
  static final Seconds UNKNOWN = NONE.times(Double.NaN);

  Seconds plus(Seconds other) {
    return new Seconds(
        compute + other.compute,
        memory + other.memory,
        network + other.network,
        starting + other.starting);
  }

  Seconds times(double n) {
    return new Seconds(compute * n, memory * n, network * n, starting * n);
  }

  static Seconds longest(Seconds a, Seconds b) {
    return a.total() >= b.total() ? a : b.total() >= a.total() ? b : UNKNOWN;
  }

  double total() {
    return compute + memory + network + starting;
  }

  boolean isKnown() {
    return !Double.isNaN(total());
  }

  /** Returns the text that a user reads: {@code 1.5 ms}. */
  static String text(double seconds) {
    if (seconds >= 2 * 3600) {
      return digits(seconds / 3600) + " h";
    }
    if (seconds >= 120) {
      return digits(seconds / 60) + " min";
    }
    return seconds >= 0.9995 ? digits(seconds) + " s" : digits(1000 * seconds) + " ms";
  }

  private static String digits(double n) {
    var form = n >= 9.95 ? "%.0f" : n >= 0.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, form, n);
  }

  /** Returns the whole and the parts that matter: {@code about 3.0 ms: 2.0 ms memory, …}. */
  @Override
  public String toString() {
    var parts = new ArrayList<String>();
    add(parts, compute, "computing");
    add(parts, memory, "memory");
    add(parts, network, "network");
    add(parts, starting, "starting");
    var all = "about " + text(total());
    return parts.size() < 2 ? all : all + ": " + String.join(", ", parts);
  }

  private void add(ArrayList<String> parts, double seconds, String what) {
    if (seconds >= total() / 50 && seconds > 0) {
      parts.add(text(seconds) + " " + what);
    }
  }
}
