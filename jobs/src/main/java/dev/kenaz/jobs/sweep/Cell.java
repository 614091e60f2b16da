package dev.kenaz.jobs.sweep;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.config.SweepConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

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
    return Settings.combinations(sweep.grid()).stream()
        .map(s -> new Cell(s, with(base, s)))
        .toList();
  }

  /** Returns a job with other settings; a part of a path that is no object becomes one. */
  private static ObjectNode with(ObjectNode job, ObjectNode settings) {
    var document = job.deepCopy();
    for (var s : settings.properties()) {
      var parts = s.getKey().split("\\.");
      var at = document;
      for (int i = 0; i < parts.length - 1; i++) {
        at = at.get(parts[i]) instanceof ObjectNode there ? there : at.putObject(parts[i]);
      }
      at.set(parts[parts.length - 1], s.getValue());
    }
    return document;
  }

  /** Returns the settings as text, such as {@code k=8 seed=1 optimiser=adam,rate=10}. */
  String title() {
    return Settings.title(settings, _ -> true);
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
