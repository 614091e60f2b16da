package dev.kenaz.jobs.bench;

import dev.kenaz.jobs.bench.BenchCase.Shape;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/** Makes data for XSBench and RSBench, in the proportions of their small problem. */
final class Reactor {
  /** How many nuclides each of the twelve materials has, if there are so many. */
  private static final int[] COUNTS = {34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};

  private static final int MOMENTA = 4;

  private Reactor() {}

  private static int most(int nuclides) {
    return Math.min(nuclides, COUNTS[0]);
  }

  private static ArrayValue counts(int nuclides) {
    var counts = Arrays.stream(COUNTS).mapToLong(c -> Math.min(c, nuclides)).toArray();
    return ArrayValue.ofLongs(counts, counts.length);
  }

  private static ArrayValue tables(Draw draw, int nuclides, int points) {
    var xs = draw.f64(0, 1, nuclides, points, 6).toDoubleArray();
    for (int k = 0; k < nuclides; k++) {
      var energies = new double[points];
      for (int i = 0; i < points; i++) {
        energies[i] = xs[(k * points + i) * 6];
      }
      Arrays.sort(energies);
      for (int i = 0; i < points; i++) {
        xs[(k * points + i) * 6] = energies[i];
      }
    }
    return ArrayValue.ofDoubles(xs, nuclides, points, 6);
  }

  /** Returns, for each energy, the row of each nuclide just below it, or its first row. */
  private static ArrayValue index(double[] grid, double[] tables, int nuclides, int points) {
    var rows = new int[grid.length * nuclides];
    for (int k = 0; k < nuclides; k++) {
      int row = 0;
      for (int i = 0; i < grid.length; i++) {
        while (row + 1 < points && tables[(k * points + row + 1) * 6] <= grid[i]) {
          row++;
        }
        rows[i * nuclides + k] = row;
      }
    }
    return ArrayValue.ofInts(rows, grid.length, nuclides);
  }

  /**
   * Returns the arguments grid, index, counts, nuclides, tables, densities, energies, materials.
   */
  static Shape xs(int nuclides, int points, int lookups) {
    return new Shape(
        "%d nuclides, %d points, %d lookups".formatted(nuclides, points, lookups),
        () -> {
          var draw = new Draw();
          var tables = tables(draw, nuclides, points);
          var xs = tables.toDoubleArray();
          var grid = new double[nuclides * points];
          for (int i = 0; i < grid.length; i++) {
            grid[i] = xs[6 * i];
          }
          Arrays.sort(grid);
          int m = COUNTS.length;
          int most = most(nuclides);
          return List.<Value>of(
              ArrayValue.ofDoubles(grid, grid.length),
              index(grid, xs, nuclides, points),
              counts(nuclides),
              draw.indices(nuclides, m, most),
              tables,
              draw.f64(0, 1, m, most),
              draw.f64(0, 1, lookups),
              draw.indices(m, lookups));
        },
        0,
        "");
  }

  /**
   * Returns the arguments momenta, ranges, radii, counts, nuclides, poles, fits, densities,
   * energies, materials.
   */
  static Shape rs(int nuclides, int poles, int windows, int lookups) {
    return new Shape(
        "%d nuclides, %d poles, %d windows, %d lookups"
            .formatted(nuclides, poles, windows, lookups),
        () -> {
          var draw = new Draw();
          var ranges = new long[nuclides * windows * 2];
          for (int i = 0; i < ranges.length / 2; i++) {
            int w = i % windows;
            ranges[2 * i] = (long) poles * w / windows;
            ranges[2 * i + 1] = (long) poles * (w + 1) / windows - 1;
          }
          int m = COUNTS.length;
          int most = most(nuclides);
          return List.<Value>of(
              draw.indices(MOMENTA, nuclides, poles),
              ArrayValue.ofLongs(ranges, nuclides, windows, 2),
              draw.f64(0, 1, nuclides, MOMENTA),
              counts(nuclides),
              draw.indices(nuclides, m, most),
              draw.f64(0, 1, nuclides, poles, 8),
              draw.f64(0, 1, nuclides, windows, 3),
              draw.f64(0, 1, m, most),
              draw.f64(0, 1, lookups),
              draw.indices(m, lookups));
        },
        0,
        "");
  }
}
