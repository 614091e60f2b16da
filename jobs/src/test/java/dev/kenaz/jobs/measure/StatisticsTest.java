package dev.kenaz.jobs.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StatisticsTest {
  @Test
  void quantilesAreInterpolated() {
    var xs = new double[] {1, 2, 4, 8};
    assertEquals(3, Statistics.quantile(xs, 0.5));
    assertEquals(1, Statistics.quantile(xs, 0));
    assertEquals(8, Statistics.quantile(xs, 1));
  }

  /** Times are skewed to the right, so the samples are log-normal. */
  @ParameterizedTest
  @ValueSource(ints = {10, 11, 25, 40, 200})
  void theIntervalHasTheMedianInAtLeast95OfHundred(int n) {
    var random = new Random(n);
    int hits = 0;
    int trials = 4000;
    double width = 0;
    for (int t = 0; t < trials; t++) {
      var samples = new ArrayList<Double>();
      for (int i = 0; i < n; i++) {
        samples.add(Math.exp(0.3 * random.nextGaussian()));
      }
      var interval = Statistics.median95(samples);
      hits += interval.low() <= 1 && 1 <= interval.high() ? 1 : 0;
      width += interval.margin() / trials;
    }
    double covered = (double) hits / trials;
    assertTrue(covered > 0.94 && covered < 0.999, n + " samples: " + covered);
    // The standard error of the median of normal numbers is 1.25 times that of their mean.
    double expected = 1.96 * 1.25 * 0.3 / Math.sqrt(n);
    assertTrue(width < 1.6 * expected, n + " samples: " + width + " instead of " + expected);
  }

  @Test
  void aFewSamplesAreBoundedByTheirRange() {
    assertEquals(new Statistics.Interval(2, 1, 3), Statistics.median95(List.of(3.0, 1.0, 2.0)));
  }

  @Test
  void whatIsFarAwayIsAnOutlier() {
    var samples = new ArrayList<>(List.of(1.0, 1.01, 1.02, 0.99, 0.98, 1.0, 1.01));
    assertEquals(0, Statistics.outliers(samples));
    samples.add(2.0);
    assertEquals(1, Statistics.outliers(samples));
  }

  @Test
  void unitsAreThoseThatPeopleRead() {
    assertEquals("1.20 ms", Units.seconds(0.0012));
    assertEquals("37.7 μs", Units.seconds(3.77e-5));
    assertEquals("999 ns", Units.seconds(9.99e-7));
    assertEquals("1.00 s", Units.seconds(0.9999));
    assertEquals("123 s", Units.seconds(123.4));
    assertEquals("512 B", Units.bytes(512));
    assertEquals("1.50 GiB", Units.bytes(3L << 29));
  }
}
