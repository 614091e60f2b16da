package dev.kenaz.jobs.train;

import java.util.Arrays;

/** Lloyd's step by hand: what the derived one must agree with. */
record HandWrittenKmeans(double[][] points, int k) {
  /** The centres after some steps, and their loss behind them. */
  double[] after(int steps, double[] start) {
    var centres = start;
    double loss = 0;
    for (int i = 0; i <= steps; i++) {
      int d = points[0].length;
      var sums = new double[k * d];
      var counts = new int[k];
      loss = 0;
      for (var p : points) {
        int nearest = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int c = 0; c < k; c++) {
          double sum = 0;
          for (int j = 0; j < d; j++) {
            sum += (p[j] - centres[c * d + j]) * (p[j] - centres[c * d + j]);
          }
          if (sum < least) {
            least = sum;
            nearest = c;
          }
        }
        loss += least;
        counts[nearest]++;
        for (int j = 0; j < d; j++) {
          sums[nearest * d + j] += p[j];
        }
      }
      if (i < steps) {
        centres = centres.clone();
        for (int c = 0; c < k * d; c++) {
          centres[c] = counts[c / d] == 0 ? centres[c] : sums[c] / counts[c / d];
        }
      }
    }
    var all = Arrays.copyOf(centres, centres.length + 1);
    all[centres.length] = loss;
    return all;
  }
}
