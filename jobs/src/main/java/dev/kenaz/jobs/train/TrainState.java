package dev.kenaz.jobs.train;

import java.util.List;
import java.util.Objects;

/**
 * The state of a training, which a checkpoint holds.
 *
 * @param iteration how many steps were done
 * @param parameters the parameters after these steps
 * @param costs the costs before each step
 * @param seconds how long each evaluation took
 * @param memory the memory of the optimiser
 * @param best the best place so far, that of the parameters among them; null if none was kept, as
 *     in checkpoints of older versions
 */
public record TrainState(
    int iteration,
    double[] parameters,
    List<Double> costs,
    List<Double> seconds,
    Optimiser.Memory memory,
    Best best) {
  public TrainState {
    costs = List.copyOf(costs);
    seconds = List.copyOf(seconds);
  }

  /**
   * A place that a training has been in.
   *
   * @param iteration how many steps were done until then
   */
  public record Best(int iteration, double cost, double seconds, double[] parameters) {
    public Best {
      Objects.requireNonNull(parameters, "a best place without parameters");
    }
  }

  /** Makes a state without a best place. */
  public TrainState(
      int iteration,
      double[] parameters,
      List<Double> costs,
      List<Double> seconds,
      Optimiser.Memory memory) {
    this(iteration, parameters, costs, seconds, memory, null);
  }

  /** Returns the state at the start of a training. */
  public static TrainState initial(double[] parameters) {
    return new TrainState(0, parameters, List.of(), List.of(), Optimiser.Memory.NONE);
  }
}
