package dev.kenaz.jobs.train;

import dev.kenaz.value.Value;
import java.util.List;

/** What a training repeats. */
public interface Steps {
  /**
   * Where a training is.
   *
   * @param loss that of the model here; NaN if there is no loss
   * @param done whether no step improves the model any more
   * @param state what the next step begins with
   */
  record Place(double loss, boolean done, List<Value> state) {
    public Place {
      state = List.copyOf(state);
    }
  }

  /** Returns the place of a model. */
  Place start(List<Value> model);

  /**
   * Does a step.
   *
   * @param like a model, which has the parts that aren't trained
   */
  Place next(Place from, List<Value> like);

  /** Whether places have a loss. */
  boolean hasLoss();

  /** Returns how many rows a step passes over. */
  long rows();
}
