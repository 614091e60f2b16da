package dev.kenaz.jobs.train;

/** The k-means cost with derivatives by hand: what the derived ones must agree with. */
record HandWrittenKmeans(double[][] points, int k) implements Objective {
  @Override
  public long rows() {
    return points.length;
  }

  @Override
  public Evaluation evaluate(double[] centres) {
    int d = points[0].length;
    double cost = 0;
    var gradient = new double[k * d];
    var curvature = new double[k * d];
    for (var p : points) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < k; c++) {
        double sum = 0;
        for (int j = 0; j < d; j++) {
          double x = p[j] - centres[c * d + j];
          sum += x * x;
        }
        if (sum < least) {
          least = sum;
          best = c;
        }
      }
      cost += least;
      for (int j = 0; j < d; j++) {
        gradient[best * d + j] += 2 * (centres[best * d + j] - p[j]);
        curvature[best * d + j] += 2;
      }
    }
    return new Evaluation(cost, gradient, curvature);
  }
}
