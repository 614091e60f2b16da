package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7302;

import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;

/**
 * Chooses the first centres among the rows, by a seed: the same seed and data give the same centres
 * on any machine and for any number of partitions.
 *
 * @param rows how many rows there are
 * @param width how many numbers a row has
 * @param reader reads rows
 */
public record Initialisation(long rows, int width, RowReader reader) {
  /** k-means++ looks at no more rows than this, and not less than {@link #SAMPLE_PER_CENTRE} k. */
  private static final long SAMPLE = 20_000;

  private static final long SAMPLE_PER_CENTRE = 50;

  /** How many rows are read at a time in search of distinct ones. */
  private static final long BATCH = 100_000;

  /** Reads rows by their ascending indices, in that order. */
  @FunctionalInterface
  public interface RowReader {
    List<double[]> read(long[] ascending);
  }

  private static RandomGenerator random(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /**
   * Returns k rows that differ from each other.
   *
   * @return the rows, which are k times width numbers
   * @throws UserError K7302 if there are not as many
   */
  public double[] distinctRows(int k, long seed) {
    requireEnough(k);
    var random = random(seed);
    var chosen = new LinkedHashMap<List<Double>, double[]>();
    var sample = new ArrayList<>(sample(Math.min(rows, 20L * k + 100), random));
    Collections.shuffle(sample, random);
    take(sample, k, chosen);
    // If there are few distinct values among many rows, all rows are read to find them.
    for (long from = 0; from < rows && chosen.size() < k; from += BATCH) {
      take(reader.read(range(from, Math.min(rows, from + BATCH))), k, chosen);
    }
    if (chosen.size() < k) {
      throw tooFew(k, chosen.size(), "distinct rows");
    }
    return flat(List.copyOf(chosen.values()));
  }

  private static void take(
      List<double[]> candidates, int k, LinkedHashMap<List<Double>, double[]> chosen) {
    for (var row : candidates) {
      if (chosen.size() < k) {
        chosen.putIfAbsent(list(row), row);
      }
    }
  }

  /**
   * Returns the centres that cluster a random sample best.
   *
   * @return the centres, which are k times width numbers
   * @throws UserError K7302 if there are not as many distinct rows
   */
  public double[] plusPlus(int k, long seed) {
    requireEnough(k);
    var random = random(seed);
    var sample = sample(Math.min(rows, Math.max(SAMPLE, SAMPLE_PER_CENTRE * k)), random);
    // If the sample has too few distinct rows, all rows may have enough.
    return new SampleClustering(sample, random)
        .centres(k)
        .map(centres -> flat(List.of(centres)))
        .orElseGet(() -> distinctRows(k, seed));
  }

  /** Returns random rows without repetition, in the order of the data. */
  private List<double[]> sample(long size, RandomGenerator random) {
    if (size == rows) {
      return reader.read(range(0, rows));
    }
    var indices = new TreeSet<Long>();
    while (indices.size() < size) {
      indices.add(random.nextLong(rows));
    }
    return reader.read(indices.stream().mapToLong(i -> i).toArray());
  }

  private static long[] range(long from, long to) {
    return LongStream.range(from, to).toArray();
  }

  private void requireEnough(int k) {
    if (k > rows) {
      throw tooFew(k, rows, "rows");
    }
  }

  private static UserError tooFew(int k, long there, String what) {
    return new UserError(
        K7302,
        "model.k is " + k + ", but the data has only " + there + " " + what,
        "choose a smaller k");
  }

  private static List<Double> list(double[] row) {
    return Arrays.stream(row).boxed().toList();
  }

  private double[] flat(List<double[]> chosen) {
    var all = new double[chosen.size() * width];
    for (int i = 0; i < chosen.size(); i++) {
      System.arraycopy(chosen.get(i), 0, all, i * width, width);
    }
    return all;
  }
}
