package dev.kenaz.distribute.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A number of bytes, as a number times sizes that aren't known.
 *
 * @param number its known part; a double, as it may be beyond any integer
 * @param sizes names of the unknown factors
 */
record Quantity(double number, List<String> sizes) {
  Quantity {
    sizes = List.copyOf(sizes);
  }

  static Quantity of(double number) {
    return new Quantity(number, List.of());
  }

  Quantity times(double factor) {
    return new Quantity(number * factor, sizes);
  }

  Quantity times(String size) {
    var all = new ArrayList<>(sizes);
    all.add(size);
    return new Quantity(number, all);
  }

  boolean isKnown() {
    return sizes.isEmpty();
  }

  /** Returns the text that a user reads: {@code 1.5 MB}, or {@code n·d·8 B}. */
  @Override
  public String toString() {
    if (!isKnown()) {
      return String.join("·", sizes) + "·" + String.format(Locale.ROOT, "%.0f B", number);
    }
    double n = number;
    var units = List.of("B", "kB", "MB", "GB", "TB", "PB", "EB");
    int unit = 0;
    while (n >= 999.5 && unit + 1 < units.size()) {
      n /= 1000;
      unit++;
    }
    var form = unit == 0 || n >= 99.95 ? "%.0f %s" : n >= 9.995 ? "%.1f %s" : "%.2f %s";
    return String.format(Locale.ROOT, form, n, units.get(unit));
  }
}
