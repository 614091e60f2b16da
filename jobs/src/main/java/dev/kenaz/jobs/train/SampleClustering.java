package dev.kenaz.jobs.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Clusters a sample that fits into memory, as a start for training on all rows: greedy k-means++
 * and some of Lloyd's iterations are done several times, and the best result counts. The effort is
 * bounded, so that large samples get fewer of both.
 *
 * @param rows the sample
 * @param random the source of random numbers
 */
record SampleClustering(List<double[]> rows, RandomGenerator random) {
  /** Roughly how many multiplications all of it may take. */
  private static final double EFFORT = 4e9;

  private static final int RESTARTS = 8;
  private static final int ITERATIONS = 20;

  /** The centres, and the cost of the sample with them. */
  private record Clustering(double[][] centres, double cost) {}

  /** Returns k centres; nothing if the sample has fewer distinct rows. */
  Optional<double[][]> centres(int k) {
    double pass = (double) k * rows.size() * rows.getFirst().length;
    int restarts = (int) Math.clamp(EFFORT / (pass * ITERATIONS), 1, RESTARTS);
    int iterations = (int) Math.clamp(EFFORT / (pass * restarts), 0, ITERATIONS);
    int trials = (int) Math.clamp(EFFORT / (pass * restarts), 1, 2 + Math.log(k));
    Optional<Clustering> best = Optional.empty();
    for (int i = 0; i < restarts; i++) {
      var start = plusPlus(k, trials);
      if (start.isEmpty()) {
        return Optional.empty();
      }
      var found = lloyd(start.get(), iterations);
      best = best.filter(b -> b.cost <= found.cost).or(() -> Optional.of(found));
    }
    return best.map(Clustering::centres);
  }

  /**
   * Does greedy k-means++. Each further centre is a row, which is chosen with a probability
   * proportional to its squared distance to the nearest centre so far; of several such rows, the
   * one that lowers the cost most is taken.
   */
  private Optional<double[][]> plusPlus(int k, int trials) {
    var chosen = new ArrayList<double[]>();
    chosen.add(rows.get(random.nextInt(rows.size())));
    var nearest = new double[rows.size()];
    Arrays.fill(nearest, Double.POSITIVE_INFINITY);
    nearest = nearer(nearest, chosen.getFirst());
    while (chosen.size() < k) {
      double total = Arrays.stream(nearest).sum();
      if (!(total > 0)) {
        return Optional.empty();
      }
      double least = Double.POSITIVE_INFINITY;
      var best = nearest;
      double[] centre = null;
      for (int t = 0; t < trials; t++) {
        var candidate = rows.get(pick(nearest, random.nextDouble() * total));
        var then = nearer(nearest, candidate);
        double cost = Arrays.stream(then).sum();
        if (centre == null || cost < least) {
          least = cost;
          best = then;
          centre = candidate;
        }
      }
      nearest = best;
      chosen.add(centre);
    }
    return Optional.of(chosen.toArray(double[][]::new));
  }

  /** Returns the squared distance of each row to its nearest centre, with one more centre. */
  private double[] nearer(double[] nearest, double[] centre) {
    var result = new double[nearest.length];
    for (int i = 0; i < result.length; i++) {
      result[i] = Math.min(nearest[i], squaredDistance(rows.get(i), centre));
    }
    return result;
  }

  /**
   * Returns an index, whose probability is proportional to its weight; {@code at} is below the sum
   * of all weights.
   */
  private static int pick(double[] weights, double at) {
    int last = 0;
    for (int i = 0; i < weights.length; i++) {
      if (weights[i] > 0) {
        last = i;
        at -= weights[i];
        if (at < 0) {
          return i;
        }
      }
    }
    return last;
  }

  private Clustering lloyd(double[][] start, int iterations) {
    var centres = start;
    double cost = Double.POSITIVE_INFINITY;
    for (int i = 0; ; i++) {
      var sums = new double[centres.length][centres[0].length];
      var counts = new long[centres.length];
      double now = assign(centres, sums, counts);
      if (i >= iterations || now >= cost) {
        return new Clustering(centres, now);
      }
      cost = now;
      centres = means(centres, sums, counts);
    }
  }

  /** Adds each row to the sum and count of its nearest centre, and returns the cost. */
  private double assign(double[][] centres, double[][] sums, long[] counts) {
    double cost = 0;
    for (var row : rows) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < centres.length; c++) {
        double distance = squaredDistance(row, centres[c]);
        if (distance < least) {
          least = distance;
          best = c;
        }
      }
      cost += least;
      counts[best]++;
      for (int j = 0; j < row.length; j++) {
        sums[best][j] += row[j];
      }
    }
    return cost;
  }

  /** Returns the means. A centre without rows stays where it is. */
  private static double[][] means(double[][] centres, double[][] sums, long[] counts) {
    var result = new double[centres.length][];
    for (int c = 0; c < result.length; c++) {
      long n = counts[c];
      result[c] = n == 0 ? centres[c] : Arrays.stream(sums[c]).map(x -> x / n).toArray();
    }
    return result;
  }

  private static double squaredDistance(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
  }
}
