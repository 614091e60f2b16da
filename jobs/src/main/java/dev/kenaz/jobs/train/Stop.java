package dev.kenaz.jobs.train;

import java.math.BigDecimal;
import java.util.List;

/**
 * Ends a training once a number gets no better. Integers are compared exactly, also where they are
 * too large for an f64.
 *
 * @param metric the name of the number
 * @param patience how many numbers in a row may be no better
 * @param most whether the largest number is the best one, rather than the smallest
 * @param leastChange by how much a number must be better to count as that
 */
public record Stop(String metric, int patience, boolean most, double leastChange) {
  /** Whether a number is better than another one. One that isn't finite is never better. */
  boolean isBetter(Number number, Number than) {
    int order = Scores.compare(number, than);
    return Double.isFinite(number.doubleValue())
        && (Double.isNaN(than.doubleValue()) || (most ? order > 0 : order < 0));
  }

  /** Whether a number, which is better than another one, is so by enough. */
  private boolean isMuchBetter(Number number, Number than) {
    if (Scores.isInteger(number) && Scores.isInteger(than) && Double.isFinite(leastChange)) {
      var change = new BigDecimal(number.toString()).subtract(new BigDecimal(than.toString()));
      return change.abs().compareTo(BigDecimal.valueOf(leastChange)) > 0;
    }
    return !(Math.abs(number.doubleValue() - than.doubleValue()) <= leastChange);
  }

  /** Whether the training ends after these numbers. */
  boolean ends(List<? extends Number> numbers) {
    Number best = Double.NaN;
    int waited = 0;
    for (var number : numbers) {
      boolean better = isBetter(number, best) && isMuchBetter(number, best);
      best = better ? number : best;
      waited = better ? 0 : waited + 1;
    }
    return waited >= patience;
  }
}
