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

  private static final String ROWS = "rows";

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
   * @param rows what tells the data from others
   */
  static JsonNode of(JsonNode document, JobProgram program, String part, String rows) {
    var files = new TreeMap<>(program.written().files());
    var subject =
        of(document).put("text", LoopCheckpoints.digest(files.toString())).put(ROWS, rows);
    return part.isEmpty() ? subject : subject.put("part", part);
  }

  /** Whether a checkpoint's subject is this one, but for the rows, which those of old ones lack. */
  static boolean isSame(JsonNode found, JsonNode wanted) {
    return withoutRows(found).equals(withoutRows(wanted));
  }

  /** Whether the rows aren't the same, or what a checkpoint tells of them. */
  static boolean hasOtherRows(JsonNode found, JsonNode wanted) {
    return found.has(ROWS) && !found.get(ROWS).equals(wanted.get(ROWS));
  }

  private static JsonNode withoutRows(JsonNode subject) {
    return subject instanceof ObjectNode o ? o.deepCopy().without(ROWS) : subject;
  }
}
