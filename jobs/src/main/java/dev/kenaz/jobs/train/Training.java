package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7301;

import dev.kenaz.error.UserError;
import dev.kenaz.spark.Lockstep;
import dev.kenaz.spark.Spent;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The training loop.
 *
 * @param rounds how many iterations, or passes over all batches, there are at most
 * @param batches how many a pass has; 0 if each step takes all rows
 * @param tolerance training ends earlier once the loss changes by less than this fraction of it;
 *     with 0 it never does
 * @param judge judges models on the way
 * @param stop ends the training early, and says which model is the best one
 * @param checkpointEvery how many steps there are from one checkpoint to the next; 0 for no
 *     checkpoints
 * @param checkpoint keeps a state
 * @param observer is told what happens
 */
public record Training(
    int rounds,
    long batches,
    double tolerance,
    Optional<Judge> judge,
    Optional<Stop> stop,
    int checkpointEvery,
    Consumer<TrainState> checkpoint,
    Consumer<TrainEvent> observer) {

  /** The place after some steps, with the time that they took. */
  private record Timed(Steps.Done done, double seconds, Spent spent) {
    static Timed of(Steps steps, Supplier<Steps.Done> work) {
      var before = steps.spent();
      long start = Lockstep.nanoTime();
      var done = work.get();
      double seconds = (Lockstep.nanoTime() - start) / 1e9;
      return new Timed(done, seconds, steps.spent().since(before));
    }

    Steps.Place place() {
      return done.last();
    }
  }

  /**
   * Trains a model.
   *
   * @return the last state, or that of the best place if {@code stop} says which it is or the last
   *     one is worse than the first
   * @throws UserError K7301 if the loss is not finite
   */
  public TrainState run(Steps steps, List<Value> model) {
    var first = Timed.of(steps, () -> Steps.Done.one(steps.start(model)));
    var none =
        new TrainState(
            0, model, first.place(), TrainState.Part.NONE, List.of(), List.of(), List.of(), null);
    double loss = steps.hasLoss() ? finite(first.place().loss(), 0) : Double.NaN;
    var begun = told(steps, none, loss, first);
    return goOn(steps, batches == 0 ? begun : begun.with(TrainState.Part.NONE.plus(loss)));
  }

  /** Returns how many iterations or whole passes lie behind a state. */
  int rounds(TrainState s) {
    return (int) (batches == 0 ? s.iteration() : s.iteration() / batches);
  }

  /** Continues a training. */
  public TrainState goOn(Steps steps, TrainState from) {
    var state = from;
    while (why(state) == null) {
      var at = state;
      int number = at.iteration() + 1;
      long most = atOnce(at);
      state = after(at, steps, () -> steps.next(number, most, at.place(), at.like()));
      if (checkpointEvery > 0 && state.iteration() % checkpointEvery == 0) {
        checkpoint.accept(state);
        observer.accept(new TrainEvent.Checkpoint(state.round()));
      }
    }
    var end = end(steps, state);
    var loss = steps.hasLoss() ? end.loss() : null;
    observer.accept(new TrainEvent.Ended(end.iteration(), loss, why(state)));
    return end;
  }

  /** Returns why a training ends here; null if it goes on. */
  private TrainEvent.Reason why(TrainState s) {
    if (s.round() >= rounds) {
      return TrainEvent.Reason.ITERATIONS;
    }
    if (tolerance > 0 && Math.abs(change(s.losses())) < tolerance) {
      return TrainEvent.Reason.TOLERANCE;
    }
    if (stop.isPresent() && stop.get().ends(numbers(stop.get(), s))) {
      return TrainEvent.Reason.STOP;
    }
    if (s.place().settled()) {
      return TrainEvent.Reason.SETTLED;
    }
    return s.place().done() ? TrainEvent.Reason.DONE : null;
  }

  /** Returns the numbers by which the training may end. */
  private List<? extends Number> numbers(Stop stop, TrainState s) {
    return judge.isEmpty()
        ? s.losses()
        : s.judged().stream().map(j -> j.scores().named(stop.metric())).toList();
  }

  /** Returns what a round is called. */
  private String called() {
    return batches == 0 ? TrainEvent.ITERATION : TrainEvent.PASS;
  }

  private String named(Stop stop) {
    return (judge.isPresent() && judge.get().validates() ? "validation " : "") + stop.metric();
  }

  /** Returns by which part of itself the loss has changed in the last round. */
  private static double change(List<Double> losses) {
    int last = losses.size() - 1;
    return last < 1 ? Double.NaN : losses.get(last) / losses.get(last - 1) - 1;
  }

  /** Returns how many steps there are before anything happens but steps. */
  private long atOnce(TrainState s) {
    if (batches == 0) {
      return 1;
    }
    long ofPass = batches - s.iteration() % batches;
    return checkpointEvery == 0
        ? ofPass
        : Math.min(ofPass, checkpointEvery - s.iteration() % checkpointEvery);
  }

  private TrainState after(TrainState before, Steps steps, Supplier<Steps.Done> work) {
    var step = Timed.of(steps, work);
    var losses = step.done.losses();
    int iteration = before.iteration() + losses.size();
    if (steps.hasLoss()) {
      for (int i = 0; i < losses.size(); i++) {
        finite(losses.get(i), before.iteration() + 1 + i);
      }
    }
    var s =
        new TrainState(
            iteration,
            before.like(),
            step.place(),
            before.part(),
            before.losses(),
            before.seconds(),
            before.judged(),
            before.best());
    double last = losses.getLast();
    if (batches == 0) {
      return told(steps, s, last, step);
    }
    var part = before.part();
    for (double loss : losses.subList(0, losses.size() - 1)) {
      part = part.plus(loss);
    }
    part = part.plus(step.seconds, step.spent);
    if (iteration % batches != 0) {
      return s.with(part.plus(last));
    }
    // The loss of a place is by the batch of the step that goes on from it.
    var pass = new Timed(step.done, part.seconds(), part.spent());
    return told(steps, s, part.loss() / batches, pass).with(TrainState.Part.NONE.plus(last));
  }

  /** Returns the state at the end of a round, and tells of it. */
  private TrainState told(Steps steps, TrainState s, double loss, Timed step) {
    int round = s.round() + 1;
    var losses = new ArrayList<>(s.losses());
    var seconds = new ArrayList<>(s.seconds());
    seconds.add(step.seconds);
    if (steps.hasLoss()) {
      losses.add(loss);
    }
    var judged = new ArrayList<>(s.judged());
    var scores =
        judge.filter(j -> round % j.every() == 0).map(j -> j.scores().apply(s.place(), s.like()));
    scores.ifPresent(found -> judged.add(new TrainState.Judged(round, found)));
    observer.accept(event(round, losses, scores, step, steps.rows()));
    warnOfGradient(steps, round, s.place());
    return new TrainState(
        s.iteration(),
        s.like(),
        s.place(),
        s.part(),
        losses,
        seconds,
        judged,
        best(s, round, loss, scores));
  }

  /** Tells why nothing improves a model whose loss is a number: its gradient is none. */
  private void warnOfGradient(Steps steps, int round, Steps.Place at) {
    boolean matters = steps.hasGradient() && (round == 0 || at.done());
    if (matters && !Double.isFinite(at.gradient())) {
      observer.accept(
          warning(
              "the loss of %s %d is a number, but its gradient isn't finite, so no step can follow"
                  + " it. Look at NaNs that were kept, at numbers whose squares are too large, such"
                  + " as 1e200, and at roots, logarithms and divisions in the program: a root has"
                  + " no derivative at 0, such as that of a sum of squares of weights that begin"
                  + " with 0.",
              called(), round));
    }
  }

  private TrainState.Best best(TrainState s, int round, double loss, Optional<Scores> scores) {
    var by = stop.orElse(new Stop("loss", 1, false, 0));
    Optional<Number> number =
        stop.isEmpty() || judge.isEmpty()
            ? Optional.of(loss)
            : scores.map(found -> found.named(by.metric()));
    var than = s.best() == null ? Double.NaN : s.best().number();
    return number
        .filter(n -> by.isBetter(n, than))
        .map(n -> new TrainState.Best(round, n, s.place()))
        .orElse(s.best());
  }

  /**
   * Returns the last state, unless another place is better. Then it returns the state of the best
   * place, whose loss is one more entry in the list, so that the last loss is that of the model.
   */
  private TrainState end(Steps steps, TrainState last) {
    var best = last.best();
    if (stop.isPresent()) {
      if (best == null) {
        throw new UserError(
            K7301,
            named(stop.get()) + " was never a finite number, so no model is the best one",
            "look at what the metric divides by, or stop by another one");
      }
      observer.accept(
          new TrainEvent.Note(
              "the model is that of %s %d, where %s was %s"
                  .formatted(called(), best.round(), named(stop.get()), best.number())));
      var chosen = best.round() == last.round() ? last : at(best, last);
      return batches > 0 && judge.isEmpty() ? noWorse(steps, chosen) : chosen;
    }
    return noWorse(steps, last);
  }

  /**
   * Returns the last state; if its loss is above that of the start, that of the best place. In
   * batches, the losses of places are those of different rows; so all rows judge start and end, and
   * the best place is the result only if they, too, find it better than the start.
   */
  private TrainState noWorse(Steps steps, TrainState last) {
    if (!steps.hasLoss()) {
      return last;
    }
    double begin = batches == 0 ? last.losses().getFirst() : lossOfStart(steps, last);
    double end = steps.lossOfAllRows(last.place(), last.like());
    if (Double.isNaN(begin) || end <= begin) {
      return last;
    }
    var best = last.best();
    double least = best.round() == 0 ? begin : steps.lossOfAllRows(best.place(), last.like());
    if (!(least <= begin)) {
      best = start(steps, last);
      least = begin;
    }
    observer.accept(
        warning(
            "training ends at a loss of %.6e, above the %.6e at its start. %s: loss %.6e. "
                + "A smaller optimiser.rate may help.",
            end,
            begin,
            best.round() == 0
                ? "No place on the way was better, and the start is the model"
                : "The best place on the way, that of %s %s, is the model"
                    .formatted(called(), best.round()),
            least));
    return at(best, last);
  }

  private static double lossOfStart(Steps steps, TrainState last) {
    return steps.lossOfAllRows(start(steps, last).place(), last.like());
  }

  private static TrainState.Best start(Steps steps, TrainState last) {
    return new TrainState.Best(0, last.losses().getFirst(), steps.start(last.like()));
  }

  private static TrainState at(TrainState.Best best, TrainState last) {
    var losses = new ArrayList<>(last.losses());
    var seconds = new ArrayList<>(last.seconds());
    if (!losses.isEmpty()) {
      losses.add(losses.get(best.round()));
    }
    seconds.add(0.0);
    return new TrainState(
        last.iteration(),
        last.like(),
        best.place(),
        last.part(),
        losses,
        seconds,
        last.judged(),
        best);
  }

  private double finite(double loss, int step) {
    if (!Double.isFinite(loss)) {
      throw new UserError(
          K7301,
          "the loss is " + loss + " in " + (batches == 0 ? "iteration " : "step ") + step,
          step == 0
              ? "no step is taken yet: look at the data, at NaNs that were kept, and at the model"
                  + " that it begins with; f64 may help for very large data"
              : "a smaller optimiser.rate, or f64 for very large data, may help");
    }
    return loss;
  }

  private TrainEvent.Iteration event(
      int round, List<Double> losses, Optional<Scores> scores, Timed step, long rows) {
    boolean validates = judge.isPresent() && judge.get().validates();
    return new TrainEvent.Iteration(
        round,
        losses.isEmpty() ? null : losses.getLast(),
        known(change(losses)),
        scores.map(s -> s.all(validates ? "validation " : "")).orElse(Map.of()),
        known(step.place().gradient()),
        known(step.place().step()),
        step.seconds,
        rows / step.seconds,
        TrainEvent.Stages.of(step.seconds, step.spent));
  }

  private static Double known(double number) {
    return Double.isNaN(number) ? null : number;
  }

  private static TrainEvent.Warning warning(String format, Object... numbers) {
    return new TrainEvent.Warning(String.format(Locale.ROOT, format, numbers));
  }
}
