package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7301;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The training loop.
 *
 * @param iterations how many steps there are at most
 * @param tolerance training ends earlier once the loss changes by less than this fraction of it;
 *     with 0 it never does
 * @param checkpointEvery how many steps there are from one checkpoint to the next; 0 for no
 *     checkpoints
 * @param checkpoint keeps a state
 * @param observer is told what happens
 */
public record Training(
    int iterations,
    double tolerance,
    int checkpointEvery,
    Consumer<TrainState> checkpoint,
    Consumer<TrainEvent> observer) {

  /** The place after a step, with the time that it took. */
  private record Timed(Steps.Place place, double seconds) {
    static Timed of(Supplier<Steps.Place> work) {
      long start = System.nanoTime();
      var place = work.get();
      return new Timed(place, (System.nanoTime() - start) / 1e9);
    }
  }

  /**
   * Trains a model.
   *
   * @return the last state, or that of the best place if the last one is worse than the first
   * @throws UserError K7301 if the loss is not finite
   */
  public TrainState run(Steps steps, List<Value> model) {
    var first = Timed.of(() -> steps.start(model));
    var none = new TrainState(-1, model, first.place, List.of(), List.of(), null);
    return goOn(steps, told(steps, none, first));
  }

  /** Continues a training. */
  public TrainState goOn(Steps steps, TrainState from) {
    var state = from;
    while (why(state) == null) {
      var at = state;
      state = told(steps, at, Timed.of(() -> steps.next(at.place(), at.like())));
      if (checkpointEvery > 0 && state.iteration() % checkpointEvery == 0) {
        checkpoint.accept(state);
        observer.accept(new TrainEvent.Checkpoint(state.iteration()));
      }
    }
    var end = steps.hasLoss() ? end(state) : state;
    var loss = steps.hasLoss() ? end.loss() : null;
    observer.accept(new TrainEvent.Ended(end.iteration(), loss, why(state)));
    return end;
  }

  /** Returns why a training ends here; null if it goes on. */
  private TrainEvent.Reason why(TrainState s) {
    return s.iteration() >= iterations
        ? TrainEvent.Reason.ITERATIONS
        : settled(s)
            ? TrainEvent.Reason.TOLERANCE
            : s.place().done() ? TrainEvent.Reason.DONE : null;
  }

  private boolean settled(TrainState s) {
    return tolerance > 0 && Math.abs(change(s.losses())) < tolerance;
  }

  /** Returns by which part of itself the loss has changed in the last step. */
  private static double change(List<Double> losses) {
    int last = losses.size() - 1;
    return last < 1 ? Double.NaN : losses.get(last) / losses.get(last - 1) - 1;
  }

  /** Returns the state after a step, and tells of it. */
  private TrainState told(Steps steps, TrainState before, Timed step) {
    int iteration = before.iteration() + 1;
    double loss = step.place.loss();
    var losses = new ArrayList<>(before.losses());
    var seconds = new ArrayList<>(before.seconds());
    seconds.add(step.seconds);
    var best = before.best();
    if (steps.hasLoss()) {
      requireFinite(loss, iteration);
      losses.add(loss);
      if (best == null || loss < best.place().loss()) {
        best = new TrainState.Best(iteration, step.place);
      }
    }
    observer.accept(event(iteration, losses, step, steps.rows()));
    return new TrainState(iteration, before.like(), step.place, losses, seconds, best);
  }

  /**
   * Returns the last state, unless it is worse than the first one. Otherwise it returns the state
   * of the best place, whose loss is one more entry in the list, so that the last loss is that of
   * the model.
   */
  private TrainState end(TrainState last) {
    double first = last.losses().getFirst();
    var best = last.best();
    if (last.loss() <= first) {
      return last;
    }
    observer.accept(
        warning(
            "training ends at a loss of %.6e, above the %.6e at its start. %s: loss %.6e. "
                + "A smaller optimiser.rate may help.",
            last.loss(),
            first,
            best.iteration() == 0
                ? "No place on the way was better, and the start is the model"
                : "The best place on the way, that of iteration %s, is the model"
                    .formatted(best.iteration()),
            best.place().loss()));
    var losses = new ArrayList<>(last.losses());
    var seconds = new ArrayList<>(last.seconds());
    losses.add(best.place().loss());
    seconds.add(0.0);
    return new TrainState(last.iteration(), last.like(), best.place(), losses, seconds, best);
  }

  private static void requireFinite(double loss, int iteration) {
    if (!Double.isFinite(loss)) {
      throw new UserError(
          K7301,
          "the loss is " + loss + " in iteration " + iteration,
          "a smaller optimiser.rate, or f64 for very large data, may help");
    }
  }

  private static TrainEvent.Iteration event(
      int iteration, List<Double> losses, Timed step, long rows) {
    double change = change(losses);
    return new TrainEvent.Iteration(
        iteration,
        losses.isEmpty() ? null : losses.getLast(),
        known(change),
        Map.of(),
        known(step.place.gradient()),
        known(step.place.step()),
        step.seconds,
        rows / step.seconds);
  }

  private static Double known(double number) {
    return Double.isNaN(number) ? null : number;
  }

  private static TrainEvent.Warning warning(String format, Object... numbers) {
    return new TrainEvent.Warning(String.format(Locale.ROOT, format, numbers));
  }
}
