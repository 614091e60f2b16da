package dev.kenaz.jobs.train;

import dev.kenaz.spark.Spent;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Objects;

/**
 * The state of a training, which a checkpoint holds. A round is an iteration, or a pass over all
 * batches.
 *
 * @param iteration how many steps were done
 * @param like the first model, which has the parts that aren't trained
 * @param place where the training is
 * @param part of the round that isn't done yet
 * @param losses the losses at the start and after each round; empty if there is no loss
 * @param seconds how long the start and each round took
 * @param judged what models on the way are worth
 * @param best the best place so far; null if nothing says which is better
 */
public record TrainState(
    int iteration,
    List<Value> like,
    Steps.Place place,
    Part part,
    List<Double> losses,
    List<Double> seconds,
    List<Judged> judged,
    Best best) {
  public TrainState {
    like = List.copyOf(like);
    losses = List.copyOf(losses);
    seconds = List.copyOf(seconds);
    judged = List.copyOf(judged);
  }

  /**
   * What steps of a round have summed up.
   *
   * @param loss the sum of their losses
   * @param seconds how long they took
   * @param spent what their jobs have spent the time on
   */
  public record Part(double loss, double seconds, Spent spent) {
    static final Part NONE = new Part(0, 0, Spent.NOTHING);

    Part plus(double more) {
      return new Part(loss + more, seconds, spent);
    }

    Part plus(double time, Spent on) {
      return new Part(loss, seconds + time, spent.plus(on));
    }
  }

  /** Returns the state with another part of a round. */
  TrainState with(Part other) {
    return new TrainState(iteration, like, place, other, losses, seconds, judged, best);
  }

  /**
   * What the model after some rounds is worth.
   *
   * @param round how many rounds were done
   */
  public record Judged(int round, Scores scores) {}

  /**
   * The best place that a training has been in.
   *
   * @param round how many rounds were done until then
   * @param number by which it is the best one
   */
  public record Best(int round, Number number, Steps.Place place) {
    public Best {
      Objects.requireNonNull(place, "a best place that is none");
    }
  }

  /** Returns how many rounds were done. */
  public int round() {
    return seconds.size() - 1;
  }

  /** Returns the last loss; NaN if there is no loss. */
  public double loss() {
    return losses.isEmpty() ? Double.NaN : losses.getLast();
  }
}
