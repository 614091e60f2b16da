package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.TrainConfig;
import java.util.ArrayList;
import java.util.List;

/**
 * One of the models that a job trains: a job of its own, which trains nothing but this model.
 *
 * @param name of its folder in that of the job; empty if the job trains but one model
 * @param settings those by which it differs from the others, by their paths
 * @param config has the other models too
 * @param document the configuration of this model alone, as it would be written
 */
record Variant(String name, ObjectNode settings, TrainConfig config, JsonNode document) {
  /** As many folders as people can look at. */
  private static final int MOST = 1000;

  private static final String MODELS = "models";
  private static final String SEED = "seed";

  /**
   * Returns the models of a job.
   *
   * @throws UserError K7003 to K7007 if a setting of the grid can't be in a job
   */
  static List<Variant> of(TrainConfig config, JsonNode document) {
    if (config.models().isEmpty()) {
      var none = JsonNodeFactory.instance.objectNode();
      return List.of(new Variant("", none, config, document));
    }
    var models = config.models().get();
    // What is written may name environment variables, whose values no file should have.
    var grid = Settings.combinations(Settings.grid(document.path(MODELS).path("grid")));
    long count = (long) grid.size() * models.restarts();
    if (count > MOST) {
      throw new UserError(
          K7006,
          "models.grid and models.restarts make %,d models".formatted(count),
          "at most " + MOST + " are possible: leave some values out");
    }
    var all = new ArrayList<Variant>();
    for (var settings : grid) {
      for (int restart = 0; restart < models.restarts(); restart++) {
        all.add(of(config, document, settings, restart, "model-" + (all.size() + 1)));
      }
    }
    return all;
  }

  private static Variant of(
      TrainConfig config, JsonNode document, ObjectNode settings, int restart, String name) {
    var own = settings.deepCopy();
    if (restart > 0) {
      own.set(SEED, seed(config, restart));
    }
    var job = Settings.set(document, Settings.all(own));
    var alone = ((ObjectNode) job).deepCopy();
    alone.remove(MODELS);
    var shown = settings.deepCopy();
    if (config.models().orElseThrow().restarts() > 1) {
      shown.set(SEED, seed(config, restart));
    }
    var title = Settings.title(settings, _ -> true);
    var its = ConfigReader.train(job, "job (" + title + ")");
    // The document may have tables of which the job's rows are copies.
    return new Variant(name, shown, its.over(config.data(), config.validation()), alone);
  }

  /** Returns a seed as it is when it is read from a file. */
  private static JsonNode seed(TrainConfig config, int restart) {
    long seed = config.seed() + restart;
    return (int) seed == seed ? IntNode.valueOf((int) seed) : LongNode.valueOf(seed);
  }

  /** Returns the same model as a part of a job. */
  Variant named(String part) {
    return new Variant(part, settings, config, document);
  }

  /** Returns what the configuration of the job is if this model is its result. */
  JsonNode ofJob(JsonNode whole) {
    if (!whole.has(MODELS)) {
      return document;
    }
    var job = (ObjectNode) document.deepCopy();
    return job.set(MODELS, whole.get(MODELS));
  }

  /** Returns how it is called, such as {@code model-2 (rate=0.1 seed=4)}. */
  String title() {
    return settings.isEmpty() ? name : name + " (" + Settings.title(settings, _ -> true) + ")";
  }
}
