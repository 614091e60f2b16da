package dev.kenaz.jobs.bench;

import java.util.List;

/**
 * These are the running times of one call.
 *
 * @param micros the times in microseconds, in their order
 */
public record Runtimes(List<Long> micros) {
  public Runtimes {
    micros = List.copyOf(micros);
  }

  public double mean() {
    return micros.stream().mapToLong(m -> m).average().orElse(0);
  }

  /**
   * Returns half the width of the 95 % confidence interval of the mean, by the normal
   * approximation.
   */
  public double margin() {
    int n = micros.size();
    if (n < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double mean = mean();
    double squares = micros.stream().mapToDouble(m -> (m - mean) * (m - mean)).sum();
    return 1.96 * Math.sqrt(squares / (n - 1) / n);
  }

  long total() {
    return micros.stream().mapToLong(m -> m).sum();
  }
}
