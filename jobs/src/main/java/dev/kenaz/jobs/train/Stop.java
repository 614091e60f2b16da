package dev.kenaz.jobs.train;

import java.util.List;

/**
 * Ends a training once a number gets no better.
 *
 * @param metric the name of the number
 * @param patience how many numbers in a row may be no better
 * @param most whether the largest number is the best one, rather than the smallest
 * @param leastChange by how much a number must be better to count as that
 */
public record Stop(String metric, int patience, boolean most, double leastChange) {
  /** Whether a number is better than another one. One that isn't finite is never better. */
  boolean isBetter(double number, double than) {
    return Double.isFinite(number) && (Double.isNaN(than) || worth(number) > worth(than));
  }

  private double worth(double number) {
    return most ? number : -number;
  }

  /** Whether the training ends after these numbers. */
  boolean ends(List<Double> numbers) {
    double best = Double.NaN;
    int waited = 0;
    for (double number : numbers) {
      boolean better = isBetter(number, best) && !(worth(number) - worth(best) <= leastChange);
      best = better ? number : best;
      waited = better ? 0 : waited + 1;
    }
    return waited >= patience;
  }
}
