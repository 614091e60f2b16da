package dev.kenaz.jobs.train;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;

/**
 * Guesses how long a training will last, by the last steps. The start is no step, and the first
 * step compiles the code of those after it.
 */
public final class TimeLeft {
  private static final int STEPS = 20;

  private final Deque<Double> seconds = new ArrayDeque<>();
  private int steps;

  void add(double step) {
    steps++;
    if (steps > 2) {
      seconds.add(step);
    }
    if (seconds.size() > STEPS) {
      seconds.remove();
    }
  }

  /** Returns the time that so many steps will take, such as 1:02:03, if it can be guessed. */
  Optional<String> after(int more) {
    if (seconds.isEmpty()) {
      return Optional.empty();
    }
    double mean = seconds.stream().mapToDouble(s -> s).average().orElseThrow();
    return Optional.of(text(Math.round(mean * more)));
  }

  /** Returns a number of seconds as text, such as 1:02:03. */
  public static String text(long s) {
    return s < 3600
        ? String.format(Locale.ROOT, "%d:%02d", s / 60, s % 60)
        : String.format(Locale.ROOT, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
  }
}
