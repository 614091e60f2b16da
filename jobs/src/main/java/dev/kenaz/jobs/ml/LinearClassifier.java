package dev.kenaz.jobs.ml;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.TrainingColumns.Moments;

/**
 * The training of weights for classes by {@code standard.fut}.
 *
 * @param program what it is called without the method
 * @param outputs how many weights a column has
 * @param l1 the penalty of absolute values
 * @param l2 the penalty of squares
 */
public record LinearClassifier(
    String program,
    int outputs,
    double l1,
    double l2,
    boolean intercept,
    boolean standardise,
    int iterations,
    double tolerance) {

  /**
   * What was found.
   *
   * @param weights a row of columns for each output
   * @param losses at the start and after each iteration
   */
  public record Weights(double[] weights, double[] intercepts, double[] losses) {}

  /** Trains over rows with the columns x, y and w. */
  public Weights fit(RowsCopy rows, Moments moments) {
    boolean smooth = l1 == 0;
    var training =
        DatasetTraining.of(program + (smooth ? "-smooth" : "-elastic"), "x", "y", "w")
            .with("outputs", outputs)
            .with("mean", moments.mean())
            .with("scale", moments.deviation())
            .with("l2", l2)
            .with("intercept", intercept)
            .with("standardise", standardise);
    var job = training.job();
    if (smooth) {
      job.putObject("optimiser").put("name", "l-bfgs");
    } else {
      training.with("l1", l1);
    }
    limit(job);
    return unscaled(training.fit(rows), moments);
  }

  private void limit(ObjectNode job) {
    job.put("iterations", iterations).put("tolerance", tolerance);
  }

  /** Returns the weights of the columns as they are. */
  private Weights unscaled(Fitted fitted, Moments moments) {
    var weights = fitted.array("weights");
    var intercepts = fitted.array("bias");
    int width = moments.mean().length;
    for (int i = 0; i < weights.length; i++) {
      double deviation = moments.deviation()[i % width];
      weights[i] = deviation > 0 ? weights[i] / deviation : 0;
      intercepts[i / width] -= weights[i] * moments.mean()[i % width];
    }
    return new Weights(weights, intercept ? intercepts : new double[outputs], fitted.history());
  }
}
