package dev.kenaz.jobs.train;

import dev.kenaz.spark.Spent;
import dev.kenaz.value.Value;
import java.util.List;

/** What a training repeats. */
public interface Steps {
  /**
   * Where a training is.
   *
   * @param loss that of the model here; NaN if there is no loss
   * @param done whether there are no more steps
   * @param settled whether that is so by a tolerance, although a step might improve the model
   * @param gradient the length of the gradient here; NaN if it isn't known
   * @param step the distance from the place before; NaN if it isn't known
   * @param state what the next step begins with
   */
  record Place(
      double loss, boolean done, boolean settled, double gradient, double step, List<Value> state) {
    public Place {
      state = List.copyOf(state);
    }

    /** A place of which no more is known. */
    Place(double loss, boolean done, List<Value> state) {
      this(loss, done, false, Double.NaN, Double.NaN, state);
    }
  }

  /** Returns the place of a model. */
  Place start(List<Value> model);

  /**
   * Does a step.
   *
   * @param number how many steps it makes in all
   * @param like a model, which has the parts that aren't trained
   */
  Place next(int number, Place from, List<Value> like);

  /**
   * What some steps came to.
   *
   * @param losses those of all their places
   * @param last the last place
   */
  record Done(List<Double> losses, Place last) {
    static Done one(Place place) {
      return new Done(List.of(place.loss()), place);
    }
  }

  /**
   * Does one or more steps.
   *
   * @param number of the first one, as for {@link #next}
   * @param most how many there are at most
   */
  default Done next(int number, long most, Place from, List<Value> like) {
    return Done.one(next(number, from, like));
  }

  /**
   * Returns the loss of a place by all rows, also where that of the place is by a batch of them;
   * NaN if there is no loss.
   *
   * @param like a model, which has the parts that aren't trained
   */
  default double lossOfAllRows(Place place, List<Value> like) {
    return place.loss();
  }

  /** Whether places have a loss. */
  boolean hasLoss();

  /** Whether it is known how long the gradient is in each place that a step has led to. */
  default boolean hasGradient() {
    return false;
  }

  /** Returns what the jobs of all steps so far have spent their time on. */
  default Spent spent() {
    return Spent.NOTHING;
  }

  /** Returns how many rows a round passes over. */
  long rows();
}
