package dev.kenaz.jobs.train;

import dev.kenaz.value.Value;
import java.util.List;
import java.util.Objects;

/**
 * The state of a training, which a checkpoint holds.
 *
 * @param iteration how many steps were done
 * @param like the first model, which has the parts that aren't trained
 * @param place where the training is
 * @param losses the losses at the start and after each step; empty if there is no loss
 * @param seconds how long the start and each step took
 * @param best the best place so far; null if there is no loss
 */
public record TrainState(
    int iteration,
    List<Value> like,
    Steps.Place place,
    List<Double> losses,
    List<Double> seconds,
    Best best) {
  public TrainState {
    like = List.copyOf(like);
    losses = List.copyOf(losses);
    seconds = List.copyOf(seconds);
  }

  /**
   * A place that a training has been in.
   *
   * @param iteration how many steps were done until then
   */
  public record Best(int iteration, Steps.Place place) {
    public Best {
      Objects.requireNonNull(place, "a best place that is none");
    }
  }

  /** Returns the loss of the place, which is the last one; NaN if there is no loss. */
  public double loss() {
    return place.loss();
  }
}
