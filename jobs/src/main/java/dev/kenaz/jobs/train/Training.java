package dev.kenaz.jobs.train;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The training loop.
 *
 * @param iterations steps at most
 * @param tolerance ends earlier once the cost changes by less than this fraction; 0 never does
 * @param checkpointEvery steps from one checkpoint to the next; 0 for none
 * @param checkpoint keeps a state
 * @param progress takes a line an iteration
 */
public record Training(
    int iterations,
    double tolerance,
    int checkpointEvery,
    Consumer<TrainState> checkpoint,
    Consumer<String> progress) {

  /**
   * Trains from a state on.
   *
   * @return the last state; its last cost is that of its parameters
   * @throws UserError K7301 if the cost is not finite
   */
  public TrainState run(Objective objective, Optimiser rule, TrainState from) {
    var optimiser = rule.restore(from.memory());
    var parameters = from.parameters();
    var costs = new ArrayList<>(from.costs());
    var seconds = new ArrayList<>(from.seconds());
    for (int i = from.iteration(); ; i++) {
      long start = System.nanoTime();
      var at = objective.evaluate(parameters);
      double took = (System.nanoTime() - start) / 1e9;
      requireFinite(at, i);
      double change = costs.isEmpty() ? Double.NaN : at.cost() / costs.getLast() - 1;
      costs.add(at.cost());
      seconds.add(took);
      progress.accept(line(i, at.cost(), change, took, objective.rows()));
      boolean settled = tolerance > 0 && Math.abs(change) < tolerance;
      if (i >= iterations || settled) {
        return new TrainState(i, parameters, costs, seconds, optimiser.memory());
      }
      var step = optimiser.step(parameters, at, objective.rows());
      parameters = step.parameters();
      optimiser = step.next();
      if (checkpointEvery > 0 && (i + 1) % checkpointEvery == 0) {
        checkpoint.accept(
            new TrainState(i + 1, parameters, List.copyOf(costs), seconds, optimiser.memory()));
      }
    }
  }

  private static void requireFinite(Objective.Evaluation at, int iteration) {
    if (!Double.isFinite(at.cost())) {
      throw new UserError(
          "K7301",
          Span.NONE,
          "the cost is " + at.cost() + " in iteration " + iteration,
          "a smaller optimiser.rate, or program.type f64 for very large data, may help");
    }
  }

  static String line(int iteration, double cost, double change, double seconds, long rows) {
    return String.format(
        Locale.ROOT,
        "iteration %3d  cost %.6e  change %s  %6.3f s  %,.0f rows/s",
        iteration,
        cost,
        Double.isNaN(change) ? "         " : String.format(Locale.ROOT, "%+.2e", change),
        seconds,
        rows / seconds);
  }
}
