package dev.kenaz.jobs.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.config.SweepConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * This is one combination of settings.
 *
 * @param settings the settings by their paths in the job
 * @param document the whole job, without its output
 */
public record Cell(ObjectNode settings, ObjectNode document) {
  /** The longest name of a folder: long names are hard to use for file systems and people. */
  private static final int NAME = 80;

  /** Returns all combinations; the last setting varies fastest. */
  static List<Cell> all(SweepConfig sweep, ObjectNode job) {
    var base = job.deepCopy();
    base.remove(List.of("$schema", "output"));
    var cells = List.of(new Cell(JsonNodeFactory.instance.objectNode(), base));
    for (var setting : sweep.grid().entrySet()) {
      var next = new ArrayList<Cell>();
      for (var cell : cells) {
        setting.getValue().forEach(value -> next.add(cell.with(setting.getKey(), value)));
      }
      cells = next;
    }
    return cells;
  }

  private Cell with(String path, JsonNode value) {
    var newSettings = settings.deepCopy();
    newSettings.set(path, value);
    var newDocument = document.deepCopy();
    var parts = path.split("\\.");
    var at = newDocument;
    for (int i = 0; i < parts.length - 1; i++) {
      at = at.get(parts[i]) instanceof ObjectNode there ? there : at.putObject(parts[i]);
    }
    at.set(parts[parts.length - 1], value);
    return new Cell(newSettings, newDocument);
  }

  /** Returns the settings as text, such as {@code k=8 seed=1 optimiser=adam,rate=10}. */
  String title() {
    return title(settings, _ -> true);
  }

  /** Returns some of the settings as text. */
  static String title(ObjectNode settings, Predicate<String> which) {
    var parts = new ArrayList<String>();
    for (var s : settings.properties()) {
      var path = s.getKey();
      if (which.test(path)) {
        parts.add(path.substring(path.lastIndexOf('.') + 1) + "=" + shown(s.getValue()));
      }
    }
    return String.join(" ", parts);
  }

  /**
   * Returns a value without punctuation; of an object with a name, the name comes without its key.
   */
  private static String shown(JsonNode value) {
    if (!value.isObject()) {
      return value.isTextual() ? value.asText() : value.toString();
    }
    List<String> parts =
        value.properties().stream()
            .map(p -> (p.getKey().equals("name") ? "" : p.getKey() + "=") + shown(p.getValue()))
            .toList();
    return String.join(",", parts);
  }

  /**
   * Returns the name of the cell's folder: it is the same for the same job, wherever that stands in
   * a grid, and different for every other one.
   */
  String name() {
    var plain = title().replaceAll("[^A-Za-z0-9.=+,-]+", "_");
    var start = plain.substring(0, Math.min(NAME, plain.length()));
    return String.format(Locale.ROOT, "%s-%08x", start, document.toString().hashCode());
  }

  /** Returns the job, with a folder as its output. */
  ObjectNode job(Path output) {
    var job = document.deepCopy();
    job.put("output", output.toString());
    return job;
  }
}
