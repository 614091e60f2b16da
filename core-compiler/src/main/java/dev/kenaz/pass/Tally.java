package dev.kenaz.pass;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Counts how often a pass did what. The pass counts, and the code that runs it reads the counts.
 */
public final class Tally {
  private static final ScopedValue<Tally> CURRENT = ScopedValue.newInstance();

  private final Map<String, Integer> counts = new TreeMap<>();

  /** Runs the work, and adds up here what it counts. */
  public <T> T during(Supplier<T> work) {
    return ScopedValue.where(CURRENT, this).call(work::get);
  }

  /** Runs work that is only tried: it counts nowhere. */
  public static <T> T without(Supplier<T> work) {
    return new Tally().during(work);
  }

  /** Counts once more what the current pass did. */
  public static void count(String what) {
    if (CURRENT.isBound()) {
      CURRENT.get().counts.merge(what, 1, Integer::sum);
    }
  }

  public Map<String, Integer> counts() {
    return Map.copyOf(counts);
  }
}
