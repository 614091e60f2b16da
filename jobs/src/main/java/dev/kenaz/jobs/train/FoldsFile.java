package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a job came to that trains the models of its folds, and none of all rows.
 *
 * @param config the configuration, as it was given
 * @param rows how many there were
 * @param trained the models
 * @param folds how the numbers of their validations spread
 * @param seconds how long all their iterations took
 */
record FoldsFile(
    JsonNode config,
    long rows,
    List<Trained> trained,
    Map<String, Trained.Spread> folds,
    List<Double> seconds) {
  /**
   * Returns what there is in the folder of a job.
   *
   * @param trained its folds, which have folders there
   */
  static FoldsFile of(JsonNode config, OutputFolder folder, List<Trained> trained, long rows) {
    var seconds = new ArrayList<Double>();
    for (var fold : trained) {
      var there = ModelFolder.open(folder.path().resolve(fold.name())).orElseThrow();
      seconds.addAll(there.document().seconds());
    }
    return new FoldsFile(config, rows, trained, Trained.spread(trained), seconds);
  }

  /** Reads the file of a folder, if there is one. */
  static Optional<FoldsFile> read(OutputFolder folder) {
    var file = folder.path().resolve(OutputFolder.FOLDS_JSON);
    try {
      return Files.exists(file)
          ? Optional.of(EventsFile.JSON.readValue(file.toFile(), FoldsFile.class))
          : Optional.empty();
    } catch (JsonProcessingException e) {
      throw new UserError(K7103, file + " is not of folds: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw UserPath.cannotRead(file, K7103, e);
    }
  }

  /** Writes it, and returns a line that says where. */
  String write(OutputFolder folder) {
    folder.writeJson(OutputFolder.FOLDS_JSON, this);
    return line(folder.path());
  }

  static String line(Path folder) {
    return "folds    " + folder.resolve(OutputFolder.FOLDS_JSON);
  }

  /**
   * Returns an event that tells that the training was finished before.
   *
   * @throws UserError K7103 if it was another one
   */
  TrainEvent finished(Path folder, JsonNode document) {
    if (!Subject.isOneOf(config, List.of(document))) {
      throw new UserError(
          K7103,
          folder + " has the folds of other data, program, parameters or optimiser",
          "name another output, or pass --overwrite");
    }
    return TrainEvent.Model.before(result().iterations(), line(folder));
  }

  /** Returns the means of the validations' numbers. */
  Map<String, Number> means() {
    var means = new LinkedHashMap<String, Number>();
    folds.forEach((name, spread) -> means.put("validation " + name, spread.mean()));
    return means;
  }

  /** Returns a result without a model, whose only loss is the mean of the validations. */
  TrainJob.Result result() {
    var loss = folds.get("loss");
    var losses = loss == null ? List.<Double>of() : List.of(loss.mean());
    int iterations = trained.stream().mapToInt(Trained::iterations).max().orElse(0);
    return new TrainJob.Result(iterations, losses, seconds, List.of(), rows);
  }
}
