package dev.kenaz.jobs.train;

import dev.kenaz.spark.Batches;
import dev.kenaz.spark.Spent;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.DoubleStream;

/**
 * The steps of a job over its data.
 *
 * @param start the entry point {@link JobText#START}, if there is one
 * @param next the entry point {@link JobText#NEXT}
 * @param batches the rows of each step; all rows if there are none
 * @param lossOfAllRows gives the loss of a place by all rows; NaN if there is no loss
 * @param hyperparameters the values that both take behind state and model
 */
record JobSteps(
    Optional<JobEntries.OverData> start,
    JobEntries.OverData next,
    Optional<Batches> batches,
    ToDoubleBiFunction<Place, List<Value>> lossOfAllRows,
    List<Value> hyperparameters,
    boolean hasLoss)
    implements Steps {
  @Override
  public Place start(List<Value> model) {
    var arguments = new ArrayList<>(model);
    if (start.isEmpty()) {
      arguments.addAll(model);
      return next(0, new Place(Double.NaN, false, arguments), model);
    }
    arguments.addAll(hyperparameters);
    return place(called(start.get(), 0, arguments));
  }

  @Override
  public Place next(int number, Place from, List<Value> like) {
    var arguments = new ArrayList<>(from.state());
    arguments.addAll(like);
    arguments.addAll(hyperparameters);
    return place(called(next, number, arguments));
  }

  /** Batches that are in one shard need no job for each. */
  @Override
  public Done next(int number, long most, Place from, List<Value> like) {
    if (batches.isEmpty() || next.data().cuts().getFirst().pieces() > 1) {
      return Steps.super.next(number, most, from, like);
    }
    var others = new ArrayList<>(like);
    others.addAll(hyperparameters);
    var done = next.overBatches(from.state(), others, batches.get(), number, most);
    var losses = hasLoss ? done.numbers() : new double[done.numbers().length];
    return new Done(DoubleStream.of(losses).boxed().toList(), place(done.results()));
  }

  @Override
  public double lossOfAllRows(Place at, List<Value> like) {
    return batches.isEmpty() ? at.loss() : lossOfAllRows.applyAsDouble(at, like);
  }

  private List<Value> called(JobEntries.OverData entry, int number, List<Value> arguments) {
    return batches.isEmpty()
        ? entry.call(arguments)
        : entry.call(arguments, batches.get().batch(number));
  }

  private Place place(List<Value> results) {
    double loss = ((ScalarValue) results.getFirst()).asDouble();
    boolean done = ((ScalarValue) results.get(1)).asBoolean();
    if (start.isEmpty()) {
      return new Place(hasLoss ? loss : Double.NaN, done, results.subList(2, results.size()));
    }
    boolean settled = done && !((ScalarValue) results.get(2)).asBoolean();
    double gradient = ((ScalarValue) results.get(3)).asDouble();
    double step = ((ScalarValue) results.get(4)).asDouble();
    return new Place(loss, done, settled, gradient, step, results.subList(5, results.size()));
  }

  @Override
  public boolean hasGradient() {
    return start.isPresent();
  }

  @Override
  public Spent spent() {
    return next.data().runner().spent();
  }

  @Override
  public long rows() {
    return next.data().rows();
  }
}
