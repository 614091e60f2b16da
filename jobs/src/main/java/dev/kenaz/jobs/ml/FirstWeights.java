package dev.kenaz.jobs.ml;

import dev.kenaz.jobs.ml.LinearClassifier.Weights;
import java.util.Arrays;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** Weights of a logistic regression that MLlib finds without a step: those of columns are 0. */
public final class FirstWeights {
  private FirstWeights() {}

  /**
   * Returns the weights with which MLlib begins: the intercepts say how often each class is.
   *
   * @param rows have y and w
   */
  public static Weights of(
      Dataset<Row> rows, int width, int classes, boolean multinomial, boolean intercept) {
    var counts = new double[multinomial ? classes : 2];
    for (var row : rows.groupBy("y").agg(functions.sum("w")).collectAsList()) {
      counts[(int) row.getDouble(0)] = row.getDouble(1);
    }
    var scores = new double[counts.length];
    if (intercept && multinomial) {
      double[] logs = Arrays.stream(counts).map(Math::log1p).toArray();
      double mean = Arrays.stream(logs).sum() / logs.length;
      Arrays.setAll(scores, i -> logs[i] - mean);
    } else if (intercept) {
      scores[1] = Math.log(counts[1] / counts[0]);
    }
    double all = Math.log(Arrays.stream(scores).map(Math::exp).sum());
    double surprise = 0;
    for (int i = 0; i < counts.length; i++) {
      surprise += counts[i] * (all - scores[i]);
    }
    var losses = new double[] {surprise / Arrays.stream(counts).sum()};
    var intercepts = multinomial ? scores : new double[] {scores[1]};
    return new Weights(new double[intercepts.length * width], intercepts, losses);
  }

  /** Returns the weights of a model that has seen one label, and is certain of it. */
  public static Weights certain(int label, int width, int classes, boolean multinomial) {
    var intercepts = new double[multinomial ? classes : 1];
    intercepts[multinomial ? label : 0] =
        multinomial || label == 1 ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
    return new Weights(new double[intercepts.length * width], intercepts, new double[] {0});
  }
}
