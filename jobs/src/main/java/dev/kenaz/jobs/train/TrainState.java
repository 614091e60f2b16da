package dev.kenaz.jobs.train;

import java.util.List;

/**
 * How far a training has come: all that a checkpoint holds.
 *
 * @param iteration steps taken
 * @param parameters as they are after these steps
 * @param costs before each step
 * @param seconds that each evaluation took
 * @param memory the optimiser's
 */
public record TrainState(
    int iteration,
    double[] parameters,
    List<Double> costs,
    List<Double> seconds,
    Optimiser.Memory memory) {
  public TrainState {
    costs = List.copyOf(costs);
    seconds = List.copyOf(seconds);
  }

  /** The start of a training. */
  public static TrainState initial(double[] parameters) {
    return new TrainState(0, parameters, List.of(), List.of(), Optimiser.Memory.NONE);
  }
}
