package dev.kenaz.jobs.train;

/** What training minimises. */
public interface Objective {
  /**
   * The objective and its derivatives at a point.
   *
   * @throws dev.kenaz.error.UserError if the program fails on the data
   */
  Evaluation evaluate(double[] parameters);

  /** How many rows an evaluation passes over. */
  long rows();

  /**
   * @param cost the value, a sum over all rows
   * @param gradient of the same length as the parameters
   * @param curvature the diagonal of the Hessian, or empty if it was not asked for
   */
  record Evaluation(double cost, double[] gradient, double[] curvature) {}
}
