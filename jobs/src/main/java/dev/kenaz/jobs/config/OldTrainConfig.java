package dev.kenaz.jobs.config;

import static dev.kenaz.error.ErrorCode.K7006;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.error.UserError;

/**
 * Turns a job as earlier versions took it, which trained k centres, into one of today. What has no
 * counterpart is an error that says what to write instead.
 */
final class OldTrainConfig {
  /** So many rows, and so many for each centre, began the clustering. */
  private static final int SAMPLE = 20_000;

  private static final int SAMPLE_OF_CENTRE = 50;

  private OldTrainConfig() {}

  /** Returns a document of today; the document itself if it is one. */
  static JsonNode translated(JsonNode document, String name) {
    boolean old = document.path("program").isObject() || document.has("model");
    if (!old || !(document.deepCopy() instanceof ObjectNode job)) {
      return document;
    }
    var program = document.path("program");
    if (!program.path("file").asText().equals("builtin:kmeans")
        || !program.path("objective").asText("cost").equals("cost")) {
      throw fault(
          name + ": $.program has the form of earlier versions",
          "write \"program\": \"FILE.fut\", whose function loss takes the model and the columns,"
              + " and whose function init gives the first model (docs/training.md)",
          "name the columns by their parameters: \"columns\": { \"points\": [...] }");
    }
    var model = document.path("model");
    if (model.path("init").asText("k-means++").equals("rows")) {
      throw fault(name + ": $.model.init is no longer chosen", "leave it out: it is k-means++");
    }
    job.put(
        "program", "builtin:kmeans" + (program.path("type").asText().equals("f64") ? "-f64" : ""));
    job.remove("model");
    if (document.path("data").path("columns").isArray()) {
      var columns = ((ObjectNode) job.get("data")).putObject("columns");
      columns.set("points", document.path("data").path("columns"));
    }
    if (model.has("k")) {
      job.putObject("parameters").set("k", model.get("k"));
      long rows = Math.max(SAMPLE, SAMPLE_OF_CENTRE * model.path("k").asLong());
      job.putObject("init").put("rows", rows);
    }
    if (model.has("seed")) {
      job.set("seed", model.get("seed"));
    }
    optimiser(job, name);
    return job;
  }

  private static void optimiser(ObjectNode job, String name) {
    var optimiser = job.path("optimiser");
    switch (optimiser.path("name").asText("newton")) {
      case "newton" -> {
        if (optimiser.path("rate").asDouble(1) != 1) {
          throw fault(name + ": $.optimiser.rate can't be chosen for newton", "leave it out");
        }
        job.remove("optimiser");
      }
      case "gradient-descent" ->
          throw fault(
              name + ": $.optimiser.rate of gradient-descent was one of the mean over all rows",
              "write the job in its new form (docs/training.md), with the rate divided by the"
                  + " number of rows");
      default -> {}
    }
  }

  private static UserError fault(String message, String... hints) {
    return new UserError(K7006, message, hints);
  }
}
