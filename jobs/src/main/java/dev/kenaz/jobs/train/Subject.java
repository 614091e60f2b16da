package dev.kenaz.jobs.train;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.run.LoopCheckpoints;
import java.util.List;
import java.util.TreeMap;

/** Says what a training is: what must be the same where it is resumed. */
final class Subject {
  /** The parts of a configuration that say what is trained, and by what. */
  private static final List<String> PARTS =
      List.of(
          "data",
          "program",
          "model",
          "parameters",
          "init",
          "start",
          "optimiser",
          "seed",
          "validation",
          "stop",
          "batch",
          "models");

  private Subject() {}

  /** Returns what a configuration says of it. */
  static ObjectNode of(JsonNode document) {
    var parts = JsonNodeFactory.instance.objectNode();
    PARTS.stream().filter(document::has).forEach(p -> parts.set(p, document.get(p)));
    return parts;
  }

  /** Whether a training is one of some others. */
  static boolean isOneOf(JsonNode document, List<JsonNode> others) {
    return others.stream().anyMatch(o -> of(o).equals(of(document)));
  }

  /**
   * Returns what a checkpoint has.
   *
   * @param part the name of the model, if it is one of several
   */
  static JsonNode of(JsonNode document, JobProgram program, String part) {
    var files = new TreeMap<>(program.written().files());
    var subject = of(document).put("text", LoopCheckpoints.digest(files.toString()));
    return part.isEmpty() ? subject : subject.put("part", part);
  }
}
