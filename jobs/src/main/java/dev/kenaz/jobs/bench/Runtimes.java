package dev.kenaz.jobs.bench;

import java.util.List;
import java.util.stream.LongStream;

/**
 * These are the running times of one call.
 *
 * @param nanos the times in nanoseconds, in their order
 */
public record Runtimes(List<Long> nanos) {
  public Runtimes {
    nanos = List.copyOf(nanos);
  }

  /** Returns the times in microseconds, rounded. */
  public LongStream micros() {
    return nanos.stream().mapToLong(t -> Math.round(t / 1e3));
  }

  /** Returns the mean in microseconds. */
  public double mean() {
    return nanos.stream().mapToLong(t -> t).average().orElse(0) / 1e3;
  }

  /**
   * Returns half the width of the 95 % confidence interval of the mean in microseconds, by the
   * normal approximation.
   */
  public double margin() {
    int n = nanos.size();
    if (n < 2) {
      return Double.POSITIVE_INFINITY;
    }
    double mean = mean();
    double squares = nanos.stream().mapToDouble(t -> t / 1e3 - mean).map(d -> d * d).sum();
    return 1.96 * Math.sqrt(squares / (n - 1) / n);
  }
}
