package dev.kenaz.jobs.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What happens in a training. Whoever wants to know takes events in their order: the console, a
 * file, Spark's metrics. {@link Model} is for the console alone: a file of events is complete
 * before.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = TrainEvent.Started.class, name = "started"),
  @JsonSubTypes.Type(value = TrainEvent.Resumed.class, name = "resumed"),
  @JsonSubTypes.Type(value = TrainEvent.Iteration.class, name = "iteration"),
  @JsonSubTypes.Type(value = TrainEvent.Checkpoint.class, name = "checkpoint"),
  @JsonSubTypes.Type(value = TrainEvent.Note.class, name = "note"),
  @JsonSubTypes.Type(value = TrainEvent.Warning.class, name = "warning"),
  @JsonSubTypes.Type(value = TrainEvent.Ended.class, name = "ended"),
  @JsonSubTypes.Type(value = TrainEvent.Failed.class, name = "failed")
})
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public sealed interface TrainEvent {
  /**
   * Data and Spark are there.
   *
   * @param spark the master
   * @param iterations how many there are at most
   */
  record Started(
      String program,
      long rows,
      long pieces,
      String spark,
      String backend,
      int iterations,
      String kenaz,
      String java)
      implements TrainEvent {}

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
   */
  record Iteration(
      int iteration,
      Double loss,
      Double change,
      Map<String, Double> metrics,
      Double gradient,
      Double step,
      double seconds,
      double rowsPerSecond)
      implements TrainEvent {}

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
    @JsonProperty("the metric to stop by gets no better")
    STOP,
    @JsonProperty("no step improves the loss any more")
    DONE
  }

  /** An error ended the training. */
  record Failed(String message) implements TrainEvent {}

  /**
   * The model is there.
   *
   * @param trained how many iterations there were, if the model was there before
   * @param metrics of the model by name
   * @param files lines that say where what is
   */
  record Model(Integer trained, Map<String, Double> metrics, List<String> files)
      implements TrainEvent {
    /** A model that was there before. */
    static Model before(int iterations, Path model) {
      return new Model(iterations, Map.of(), List.of("model    " + model));
    }
  }
}
