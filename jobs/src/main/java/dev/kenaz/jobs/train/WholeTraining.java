package dev.kenaz.jobs.train;

import dev.kenaz.spark.Spent;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * A training that the program does by itself: its start is its end.
 *
 * @param train the entry point that gives the model
 * @param hyperparameters the values that it takes
 */
record WholeTraining(JobEntries.OverData train, List<Value> hyperparameters) implements Steps {
  @Override
  public Place start(List<Value> none) {
    return new Place(Double.NaN, true, train.call(hyperparameters));
  }

  @Override
  public Place next(int number, Place from, List<Value> like) {
    throw new IllegalStateException("a step after the training");
  }

  @Override
  public boolean hasLoss() {
    return false;
  }

  @Override
  public Spent spent() {
    return train.data().runner().spent();
  }

  @Override
  public long rows() {
    return train.data().rows();
  }
}
