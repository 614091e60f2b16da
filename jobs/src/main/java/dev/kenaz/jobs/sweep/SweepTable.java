package dev.kenaz.jobs.sweep;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.jobs.train.OutputFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes the results of a sweep as files. Each file is written as a whole, or stays as it was
 * before.
 *
 * @param output the sweep's folder
 */
record SweepTable(OutputFolder output) {
  static final String JSON = "results.json";
  static final String CSV = "results.csv";

  boolean exists() {
    return Files.exists(output.path().resolve(JSON));
  }

  /** Returns what an earlier run has done, by the cells' folders. */
  Map<String, CellResult> read() {
    var found = new LinkedHashMap<String, CellResult>();
    if (exists()) {
      rows().stream()
          .filter(r -> r.isDone() && r.folder() != null)
          .forEach(r -> found.put(r.folder(), r));
    }
    return found;
  }

  /**
   * Reads all lines.
   *
   * @throws UserError K7103 if they can't be read
   */
  List<CellResult> rows() {
    var file = output.path().resolve(JSON);
    try {
      var rows = new ObjectMapper().readValue(file.toFile(), CellResult[].class);
      if (rows == null || Arrays.asList(rows).contains(null)) {
        throw new IOException("no rows");
      }
      return List.of(rows);
    } catch (IOException e) {
      throw new UserError(
          K7103,
          file + " is not the table of a sweep",
          "remove it, or start anew with --overwrite");
    }
  }

  void write(List<CellResult> results) {
    output.writeJson(JSON, results);
    output.write(CSV, out -> out.write(csv(results).getBytes(StandardCharsets.UTF_8)));
  }

  static String csv(List<CellResult> results) {
    var settings = new ArrayList<String>();
    results.getFirst().settings().fieldNames().forEachRemaining(settings::add);
    var header = new ArrayList<String>(settings);
    header.addAll(
        List.of("status", "cost", "iterations_done", "rows", "seconds_per_iteration", "seconds"));
    header.addAll(List.of("rows_per_second", "code", "message", "folder"));
    var lines = new StringBuilder(line(header));
    for (var r : results) {
      var fields = new ArrayList<Object>();
      settings.forEach(s -> fields.add(text(r.settings().get(s))));
      fields.add(r.isDone() ? "done" : "failed");
      fields.add(r.cost());
      fields.add(r.iterations());
      fields.add(r.rows());
      fields.add(r.secondsPerIteration());
      fields.add(r.seconds());
      fields.add(r.rowsPerSecond());
      fields.add(r.code());
      fields.add(r.message());
      fields.add(r.folder());
      lines.append(line(fields));
    }
    return lines.toString();
  }

  private static String text(JsonNode value) {
    return value.isTextual() ? value.asText() : value.toString();
  }

  private static String line(List<?> fields) {
    return String.join(",", fields.stream().map(SweepTable::field).toList()) + "\n";
  }

  private static String field(Object value) {
    var text = Objects.toString(value, "");
    return text.matches("(?s).*[\",\n\r].*") ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }
}
