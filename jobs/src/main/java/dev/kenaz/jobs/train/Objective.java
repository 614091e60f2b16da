package dev.kenaz.jobs.train;

/** What training minimises. */
public interface Objective {
  /**
   * The objective and its derivatives at a point.
   *
   * @throws dev.kenaz.error.UserError if the program fails on the data
   */
  Evaluation evaluate(double[] parameters);

  /**
   * Likewise, but the curvature may be empty if the cost isn't below the limit, as then nobody
   * moves on from there.
   */
  default Evaluation evaluate(double[] parameters, double limit) {
    return evaluate(parameters);
  }

  /** How many rows an evaluation passes over. */
  long rows();

  /**
   * @param cost the value, a sum over all rows
   * @param gradient of the same length as the parameters
   * @param curvature the diagonal of the Hessian, or empty if it was not asked for
   */
  record Evaluation(double cost, double[] gradient, double[] curvature) {}
}
