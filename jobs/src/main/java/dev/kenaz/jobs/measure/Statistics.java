package dev.kenaz.jobs.measure;

import java.util.Arrays;
import java.util.List;

/** Computes what samples say about a time. All of it is robust against outliers. */
final class Statistics {
  /** The 97.5 % quantile of the normal distribution. */
  static final double NORMAL = 1.959964;

  /** Beyond so many interquartile ranges from the quartiles, a sample is an outlier. */
  private static final double FENCE = 3;

  /** The binomial distribution of more is near enough to a normal one. */
  private static final int EXACT = 500;

  private Statistics() {}

  /** A number and the 95 % confidence interval around it. */
  record Interval(double middle, double low, double high) {
    /** Returns half the width as a part of the middle. */
    double margin() {
      return middle == 0 ? 0 : (high - low) / 2 / middle;
    }
  }

  static double[] sorted(List<Double> samples) {
    var xs = samples.stream().mapToDouble(x -> x).toArray();
    Arrays.sort(xs);
    return xs;
  }

  static double median(List<Double> samples) {
    return quantile(sorted(samples), 0.5);
  }

  /** Returns a quantile, interpolated between the two samples around it. */
  static double quantile(double[] sorted, double q) {
    double at = q * (sorted.length - 1);
    int below = (int) Math.floor(at);
    int above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
  }

  /**
   * Returns the median with the confidence interval between two order statistics: the number of
   * samples below the true median is binomial with probability 1/2, whatever their distribution.
   * Fewer than six samples can't bound it so surely; then the interval is their range.
   */
  static Interval median95(List<Double> samples) {
    var xs = sorted(samples);
    int rank = rank(xs.length);
    return new Interval(quantile(xs, 0.5), xs[rank], xs[xs.length - 1 - rank]);
  }

  /** Returns the greatest r for which no more than r of n fair coins are heads in 2.5 %. */
  private static int rank(int n) {
    if (n > EXACT) {
      return (int) Math.floor(n / 2.0 - NORMAL * Math.sqrt(n) / 2);
    }
    double probability = Math.pow(0.5, n);
    double sum = probability;
    int r = 0;
    while (sum <= 0.025) {
      r++;
      probability *= (n - r + 1.0) / r;
      sum += probability;
    }
    return Math.max(0, r - 1);
  }

  /** Returns how many samples lie far from the others. */
  static int outliers(List<Double> samples) {
    var xs = sorted(samples);
    double lower = quantile(xs, 0.25);
    double upper = quantile(xs, 0.75);
    double range = FENCE * (upper - lower);
    return (int) Arrays.stream(xs).filter(x -> x < lower - range || x > upper + range).count();
  }

  /**
   * Returns the standard error of the logarithm of a median, from its confidence interval. It is
   * the relative error, as that is small.
   */
  static double error(Interval median) {
    return median.margin() / NORMAL;
  }
}
