package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A checkpoint's line of JSON. The values of the first model, of the state, and of the best state
 * are behind it.
 *
 * @param subject what must be the same if a training goes on from it
 * @param done whether no step improves the model any more
 * @param losses as {@link TrainState} has them
 * @param model how many values the model has
 * @param state how many values a state has
 * @param best the iteration of the best state; -1 if there is none
 */
record Checkpoint(
    JsonNode subject,
    int iteration,
    boolean done,
    List<Double> losses,
    List<Double> seconds,
    int model,
    int state,
    int best) {

  /** Replaces the checkpoint of a folder, once the new one is safely written. */
  static void write(OutputFolder folder, JsonNode subject, TrainState s) {
    var values = new ArrayList<Value>(s.like());
    values.addAll(s.place().state());
    if (s.best() != null) {
      values.addAll(s.best().place().state());
    }
    var header =
        new Checkpoint(
            subject,
            s.iteration(),
            s.place().done(),
            s.losses(),
            s.seconds(),
            s.like().size(),
            s.place().state().size(),
            s.best() == null ? -1 : s.best().iteration());
    folder.write(OutputFolder.CHECKPOINT, out -> new ValuesFile<>(header, values).write(out));
  }

  /**
   * Reads the last checkpoint of a folder.
   *
   * @throws UserError K7103 if it can't be read, or is of another training
   */
  static Optional<TrainState> read(OutputFolder folder, JsonNode subject) {
    return folder
        .checkpoint()
        .map(
            file -> {
              var found = ValuesFile.read(file, Checkpoint.class);
              if (!subject.equals(found.header().subject())) {
                throw new UserError(
                    K7103,
                    file + " is of a training with other data, program, parameters or optimiser",
                    "restore the configuration, or start anew with --overwrite");
              }
              return found.header().state(found.values());
            });
  }

  private TrainState state(List<Value> values) {
    int end = model + state;
    var place = place(iteration, done, values.subList(model, end));
    return new TrainState(
        iteration,
        values.subList(0, model),
        place,
        losses,
        seconds,
        best < 0
            ? null
            : new TrainState.Best(best, place(best, false, values.subList(end, end + state))));
  }

  private Steps.Place place(int at, boolean isDone, List<Value> values) {
    return new Steps.Place(losses.isEmpty() ? Double.NaN : losses.get(at), isDone, values);
  }
}
