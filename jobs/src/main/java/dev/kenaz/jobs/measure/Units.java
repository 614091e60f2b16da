package dev.kenaz.jobs.measure;

import java.util.Locale;

/** Writes numbers for people. */
final class Units {
  private Units() {}

  /** Returns a time with three digits and a unit, such as {@code 1.20 ms}. */
  static String seconds(double s) {
    if (s >= 100) {
      return String.format(Locale.ROOT, "%.0f s", s);
    }
    double scaled = s;
    var units = new String[] {"s", "ms", "μs", "ns"};
    int i = 0;
    while (scaled < 0.9995 && i < units.length - 1) {
      scaled *= 1000;
      i++;
    }
    int digits = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + digits + "f %s", scaled, units[i]);
  }

  /** Returns a size such as {@code 1.5 GiB}. */
  static String bytes(long n) {
    double scaled = n;
    var units = new String[] {"B", "KiB", "MiB", "GiB", "TiB"};
    int i = 0;
    while (scaled >= 1000 && i < units.length - 1) {
      scaled /= 1024;
      i++;
    }
    return String.format(Locale.ROOT, i == 0 ? "%.0f %s" : "%.3g %s", scaled, units[i]);
  }
}
