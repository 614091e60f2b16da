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
 * @param at the last place
 * @param losses as {@link TrainState} has them
 * @param model how many values the model has
 * @param state how many values a state has
 * @param best the best place; null if there is none
 */
record Checkpoint(
    JsonNode subject,
    At at,
    TrainState.Part part,
    List<Double> losses,
    List<Double> seconds,
    List<TrainState.Judged> judged,
    int model,
    int state,
    At best) {

  /**
   * A place without its state.
   *
   * @param after how many steps were done, or for the best place how many rounds
   * @param number by which it is the best one
   */
  record At(int after, Number number, double loss, boolean done, boolean settled) {
    static At of(int after, Number number, Steps.Place place) {
      return new At(after, number, place.loss(), place.done(), place.settled());
    }

    Steps.Place with(List<Value> state) {
      return new Steps.Place(loss, done, settled, Double.NaN, Double.NaN, state);
    }
  }

  /** Replaces the checkpoint of a folder, once the new one is safely written. */
  static void write(OutputFolder folder, JsonNode subject, TrainState s) {
    var values = new ArrayList<Value>(s.like());
    values.addAll(s.place().state());
    var best = s.best();
    if (best != null) {
      values.addAll(best.place().state());
    }
    var header =
        new Checkpoint(
            subject,
            At.of(s.iteration(), 0, s.place()),
            s.part(),
            s.losses(),
            s.seconds(),
            s.judged(),
            s.like().size(),
            s.place().state().size(),
            best == null ? null : At.of(best.round(), best.number(), best.place()));
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
              var there = found.header().subject();
              if (!Subject.isSame(there, subject)) {
                throw new UserError(
                    K7103,
                    file + " is of a training with other data, program, parameters or optimiser",
                    "restore the configuration, or start anew with --overwrite");
              }
              if (Subject.hasOtherRows(there, subject)) {
                throw new UserError(
                    K7103,
                    file + " is of a training on other rows: the data has changed since",
                    "restore the data, or start anew with --overwrite");
              }
              return found.header().state(found.values());
            });
  }

  private TrainState state(List<Value> values) {
    int end = model + state;
    return new TrainState(
        at.after,
        values.subList(0, model),
        at.with(values.subList(model, end)),
        part,
        losses,
        seconds,
        judged,
        best == null
            ? null
            : new TrainState.Best(
                best.after, best.number, best.with(values.subList(end, end + state))));
  }
}
