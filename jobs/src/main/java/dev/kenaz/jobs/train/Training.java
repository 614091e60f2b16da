package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7301;
import static dev.kenaz.error.ErrorCode.K7303;

import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The training loop.
 *
 * @param iterations how many steps there are at most
 * @param tolerance training ends earlier once the cost changes by less than this fraction of it;
 *     with 0 it never does
 * @param checkpointEvery how many steps there are from one checkpoint to the next; 0 for no
 *     checkpoints
 * @param checkpoint keeps a state
 * @param progress takes a line for each iteration
 */
public record Training(
    int iterations,
    double tolerance,
    int checkpointEvery,
    Consumer<TrainState> checkpoint,
    Consumer<String> progress) {

  /**
   * By which part of itself a cost may rise from one step to the next, because of rounding in its
   * sum.
   */
  private static final double NOISE = 1e-5;

  /** How often a step that doesn't lower the cost is halved. */
  private static final int HALVINGS = 40;

  /** A place where the optimiser has been, with the time of its evaluation. */
  private record Place(double[] parameters, Objective.Evaluation at, double seconds) {
    /** Returns this place, if it is better than all before. */
    TrainState.Best orBetter(TrainState.Best before, int iteration) {
      return before == null || at.cost() < before.cost()
          ? new TrainState.Best(iteration, at.cost(), seconds, parameters)
          : before;
    }
  }

  /**
   * Trains from a state on. A step of a rule that descends is halved until the cost falls; if no
   * step lowers it, the training ends. Other rules may pass through worse places: if the last state
   * is worse than the first, the best one is returned.
   *
   * @return the last state; its last cost is that of its parameters
   * @throws UserError K7301 if the cost is not finite, K7303 if it ends above the start and no
   *     better place is known
   */
  public TrainState run(Objective objective, Optimiser rule, TrainState from) {
    var optimiser = rule.restore(from.memory());
    var costs = new ArrayList<>(from.costs());
    var seconds = new ArrayList<>(from.seconds());
    var place = place(objective, from.parameters(), Double.POSITIVE_INFINITY);
    requireFinite(place, from.iteration());
    double first = costs.isEmpty() ? place.at.cost() : costs.getFirst();
    var best = place.orBetter(from.best(), from.iteration());
    for (int i = from.iteration(); ; i++) {
      double cost = place.at.cost();
      double change = costs.isEmpty() ? Double.NaN : cost / costs.getLast() - 1;
      costs.add(cost);
      seconds.add(place.seconds);
      progress.accept(line(i, cost, change, place.seconds, objective.rows()));
      boolean settled = tolerance > 0 && Math.abs(change) < tolerance;
      var step = optimiser.step(place.parameters, place.at, objective.rows());
      var next =
          i >= iterations || settled
              ? Optional.<Place>empty()
              : next(objective, rule, place, step.parameters(), i + 1);
      if (next.isEmpty()) {
        return end(
            new TrainState(i, place.parameters, costs, seconds, optimiser.memory(), best), first);
      }
      place = next.get();
      optimiser = step.next();
      best = place.orBetter(best, i + 1);
      if (checkpointEvery > 0 && (i + 1) % checkpointEvery == 0) {
        checkpoint.accept(
            new TrainState(i + 1, place.parameters, costs, seconds, optimiser.memory(), best));
      }
    }
  }

  private static Place place(Objective objective, double[] parameters, double limit) {
    long start = System.nanoTime();
    var at = objective.evaluate(parameters, limit);
    return new Place(parameters, at, (System.nanoTime() - start) / 1e9);
  }

  /**
   * Returns the place to which the step leads, or a part of the step that lowers the cost; nothing
   * if no part does.
   */
  private Optional<Place> next(
      Objective objective, Optimiser rule, Place from, double[] to, int iteration) {
    if (!rule.descends()) {
      var next = place(objective, to, Double.POSITIVE_INFINITY);
      requireFinite(next, iteration);
      return Optional.of(next);
    }
    double limit = from.at.cost() + NOISE * Math.abs(from.at.cost());
    var target = to;
    for (int halvings = 0; ; halvings++) {
      var next = place(objective, target, limit);
      if (next.at.cost() <= limit) {
        return Optional.of(next);
      }
      if (halvings == HALVINGS) {
        requireFinite(next, iteration);
        progress.accept("no step lowers the cost any more");
        return Optional.empty();
      }
      target = middle(from.parameters, target);
    }
  }

  private static double[] middle(double[] x, double[] y) {
    var result = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      result[i] = x[i] + (y[i] - x[i]) / 2;
    }
    return result;
  }

  /**
   * Returns the last state, unless it is worse than the first one. Otherwise it returns the state
   * of the best place, whose cost is one more entry in the list, so that the last cost is that of
   * the model.
   */
  private TrainState end(TrainState last, double first) {
    var best = last.best();
    double cost = last.costs().getLast();
    if (cost <= first) {
      return last;
    }
    // A checkpoint of an older version doesn't know what was before it.
    if (best.cost() > first) {
      throw new UserError(
          K7303,
          "the cost was " + first + " at the start and is " + cost + " now",
          "a smaller optimiser.rate may help");
    }
    progress.accept(
        String.format(
            Locale.ROOT,
            "warning: training ends at a cost of %.6e, above the %.6e at its start. %s: cost %.6e. "
                + "A smaller optimiser.rate may help.",
            cost,
            first,
            best.iteration() == 0
                ? "No place on the way was better, and the start is the model"
                : "The best place on the way, that of iteration %s, is the model"
                    .formatted(best.iteration()),
            best.cost()));
    var costs = new ArrayList<>(last.costs());
    var seconds = new ArrayList<>(last.seconds());
    costs.add(best.cost());
    seconds.add(best.seconds());
    return new TrainState(last.iteration(), best.parameters(), costs, seconds, last.memory(), best);
  }

  private static void requireFinite(Place place, int iteration) {
    if (!Double.isFinite(place.at.cost())) {
      throw new UserError(
          K7301,
          "the cost is " + place.at.cost() + " in iteration " + iteration,
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
