package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.spark.Spent;
import java.util.List;
import java.util.Map;

/**
 * What happens in a training. Whoever wants to know takes events in their order: the console, a
 * file, Spark's metrics. {@link Model} and {@link OfModel} are for the console alone: a file of
 * events is complete before, and each model has its own.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = TrainEvent.Started.class, name = "started"),
  @JsonSubTypes.Type(value = TrainEvent.Job.class, name = "job"),
  @JsonSubTypes.Type(value = TrainEvent.Resumed.class, name = "resumed"),
  @JsonSubTypes.Type(value = TrainEvent.Iteration.class, name = "iteration"),
  @JsonSubTypes.Type(value = TrainEvent.Checkpoint.class, name = "checkpoint"),
  @JsonSubTypes.Type(value = TrainEvent.Note.class, name = "note"),
  @JsonSubTypes.Type(value = TrainEvent.Warning.class, name = "warning"),
  @JsonSubTypes.Type(value = TrainEvent.Ended.class, name = "ended"),
  @JsonSubTypes.Type(value = TrainEvent.Data.class, name = "data"),
  @JsonSubTypes.Type(value = TrainEvent.Fit.class, name = "fit"),
  @JsonSubTypes.Type(value = TrainEvent.Failed.class, name = "failed")
})
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public sealed interface TrainEvent {
  /**
   * Data and Spark are there.
   *
   * @param validation how many other rows judge the model; null if none do
   * @param spark the master
   * @param iterations how many there are at most
   * @param round what an iteration is: {@code iteration}, or {@code pass} over all batches; null in
   *     files of earlier versions
   */
  record Started(
      String program,
      long rows,
      Long validation,
      long pieces,
      String spark,
      String backend,
      int iterations,
      String round,
      String kenaz,
      String java)
      implements TrainEvent {
    /** Returns what an iteration is called. */
    String called() {
      return round == null ? ITERATION : round;
    }
  }

  /** What a round is called. */
  String ITERATION = "iteration";

  /** What a round in batches is called. */
  String PASS = "pass";

  /**
   * What is trained.
   *
   * @param config as it is written
   * @param program its text, by the names of its files
   * @param plan that of an iteration, as a picture
   */
  record Job(JsonNode config, Map<String, String> program, String plan) implements TrainEvent {}

  /**
   * The training goes on from a checkpoint.
   *
   * @param iteration the last one that the checkpoint has
   */
  record Resumed(int iteration) implements TrainEvent {}

  /**
   * The start, or a step.
   *
   * @param iteration how many steps were done; 0 for the start
   * @param loss null if there is none
   * @param change by which part of itself the loss has changed; null if that isn't known
   * @param metrics by name, if they are evaluated after this step; those of a validation begin with
   *     {@code validation}
   * @param gradient the gradient's length; null if it isn't known
   * @param step the distance from the place before; null if it isn't known
   * @param stages what the seconds were spent on
   */
  record Iteration(
      int iteration,
      Double loss,
      Double change,
      Map<String, Number> metrics,
      Double gradient,
      Double step,
      double seconds,
      double rowsPerSecond,
      Stages stages)
      implements TrainEvent {}

  /**
   * Seconds of an iteration by what they were spent on. Together they are all that have passed.
   *
   * @param compute in the program, on the pieces of the data
   * @param data reading pieces that executors don't have in memory
   * @param combination combining what the pieces gave
   * @param spark the rest of Spark's jobs: scheduling, exchanges, waiting for the slowest task
   * @param driver everything else
   */
  record Stages(double compute, double data, double combination, double spark, double driver) {
    static Stages of(double seconds, Spent spent) {
      double jobs = Math.min(seconds, spent.jobs());
      double tasks = spent.compute() + spent.data() + spent.combination();
      // Tasks are measured by another clock than jobs.
      double part = tasks > jobs ? jobs / tasks : 1;
      return new Stages(
          part * spent.compute(),
          part * spent.data(),
          part * spent.combination(),
          Math.max(0, jobs - tasks),
          seconds - jobs);
    }
  }

  /** The state after an iteration was saved. */
  record Checkpoint(int iteration) implements TrainEvent {}

  /** What a user may want to know. */
  record Note(String text) implements TrainEvent {}

  record Warning(String text) implements TrainEvent {}

  /**
   * There are no more steps.
   *
   * @param loss that of the model; null if there is none
   */
  record Ended(int iteration, Double loss, Reason reason) implements TrainEvent {}

  /** Why a training ends. */
  enum Reason {
    @JsonProperty("all iterations are done")
    ITERATIONS,
    @JsonProperty("the loss has changed by less than the tolerance")
    TOLERANCE,
    @JsonProperty("no component of the gradient is larger than the tolerance")
    SETTLED,
    @JsonProperty("the metric to stop by gets no better")
    STOP,
    @JsonProperty("no step improves the loss any more")
    DONE;

    /** Returns the reason as a user reads it. */
    String text() {
      return EventsFile.JSON.convertValue(this, String.class);
    }
  }

  /**
   * What the data is.
   *
   * @param dropped how many rows were left out for nulls
   */
  record Data(long rows, long dropped, List<Column> columns) implements TrainEvent {}

  /**
   * The numbers of a column, or of a parameter with very many.
   *
   * @param nans how many are NaN
   */
  record Column(
      String parameter, String column, long nans, double least, double greatest, double mean) {}

  /**
   * What the model predicts for some rows.
   *
   * @param label the parameter with what it should predict
   * @param where the rows: those of the training or of the validation
   * @param classes the numbers that both have, if they are few
   * @param counts for each class, how many rows of it are predicted as each class
   * @param pairs for each of some rows what it should predict, and what it predicts; empty if there
   *     are classes
   */
  record Fit(
      String label,
      String where,
      long rows,
      List<Long> classes,
      List<List<Long>> counts,
      List<List<Double>> pairs)
      implements TrainEvent {}

  /** An error ended the training. */
  record Failed(String message) implements TrainEvent {}

  /**
   * The model is there.
   *
   * @param trained how many iterations or passes there were, if the model was there before
   * @param metrics of the model by name
   * @param files lines that say where what is
   */
  record Model(Integer trained, Map<String, Number> metrics, List<String> files)
      implements TrainEvent {
    /** A model that was there before. */
    static Model before(int iterations, String where) {
      return new Model(iterations, Map.of(), List.of(where));
    }
  }

  /** An event of one of several models, whose file of events has it as it is. */
  record OfModel(String model, TrainEvent event) implements TrainEvent {}
}
