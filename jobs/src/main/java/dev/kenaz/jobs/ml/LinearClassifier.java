package dev.kenaz.jobs.ml;

import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import dev.kenaz.jobs.ml.TrainingColumns.Moments;

/**
 * The training of weights for classes by {@code standard.fut}.
 *
 * @param program what it is called without the method
 * @param outputs how many weights a column has
 * @param reg the penalty
 * @param alpha the part of it that is of absolute values; the rest is of squares
 */
public record LinearClassifier(
    String program,
    int outputs,
    double reg,
    double alpha,
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

  /** Returns the training over rows with the columns x, y and w. */
  public DatasetTraining training(Moments moments) {
    boolean smooth = reg * alpha == 0;
    var training =
        DatasetTraining.of(program + (smooth ? "-smooth" : "-elastic"), "x", "y", "w")
            .with("outputs", outputs)
            .with("mean", moments.mean())
            .with("scale", moments.deviation())
            .with("intercept", intercept)
            .with("standardise", standardise);
    var job = training.job();
    if (smooth) {
      training.with("l2", reg);
      job.putObject("optimiser").put("name", "l-bfgs");
    } else {
      // Two numbers that vary by themselves, so that a grid of both is trained in one job.
      training.with("reg", reg).with("alpha", alpha);
    }
    job.put("iterations", iterations).put("tolerance", tolerance);
    return training;
  }

  /** Returns the weights of the columns as they are. */
  public Weights weights(Fitted fitted, Moments moments) {
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
