package dev.kenaz.jobs.train;

/** A function that training minimises. */
public interface Objective {
  /**
   * Computes the objective and its derivatives at a point.
   *
   * @throws dev.kenaz.error.UserError if the program fails on the data
   */
  Evaluation evaluate(double[] parameters);

  /**
   * Computes the same; but the curvature may be empty if the cost isn't below the limit, as no step
   * starts from there.
   */
  default Evaluation evaluate(double[] parameters, double limit) {
    return evaluate(parameters);
  }

  /** Returns how many rows an evaluation passes over. */
  long rows();

  /**
   * @param cost the value, a sum over all rows
   * @param gradient the gradient, of the same length as the parameters
   * @param curvature the diagonal of the Hessian, or empty if it was not asked for
   */
  record Evaluation(double cost, double[] gradient, double[] curvature) {}
}
