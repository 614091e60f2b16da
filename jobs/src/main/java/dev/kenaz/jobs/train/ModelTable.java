package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;
import static dev.kenaz.error.ErrorCode.K7501;
import static dev.kenaz.error.ErrorCode.K7503;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.NearestName;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.TreeSet;

/**
 * The models that are in some folders.
 *
 * @param runs in their order
 * @param faults of folders that hold no model that can be read
 */
public record ModelTable(List<Run> runs, SequencedMap<Path, Diagnostic> faults) {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Settings that say where a run is rather than what it is. */
  private static final List<String> PLACES = List.of("output", "$schema");

  /** The longest text of a setting in a table. */
  private static final int WIDTH = 40;

  /**
   * A training that is finished.
   *
   * @param settings of its configuration, by their paths
   * @param scores loss and metrics, those of a validation too
   * @param seconds how long it took
   */
  public record Run(
      Path folder,
      Map<String, JsonNode> settings,
      Map<String, Number> scores,
      int iterations,
      long rows,
      double seconds,
      Instant finished) {

    private static Run of(ModelFolder model) throws IOException {
      var d = model.document();
      var settings = new LinkedHashMap<String, JsonNode>();
      flatten("", d.config(), settings);
      PLACES.forEach(settings::remove);
      var scores = new LinkedHashMap<String, Number>();
      if (d.loss() != null) {
        scores.put("loss", d.loss());
      }
      if (d.metrics() != null) {
        scores.putAll(Scores.shown(d.metrics()));
      }
      if (d.validation() != null) {
        scores.putAll(d.validation().all("validation."));
      }
      return new Run(
          model.path(),
          settings,
          scores,
          d.iterations(),
          d.rows(),
          d.seconds().stream().mapToDouble(s -> s).sum(),
          Files.getLastModifiedTime(model.path().resolve(OutputFolder.MODEL_JSON)).toInstant());
    }

    private static void flatten(String path, JsonNode node, Map<String, JsonNode> settings) {
      if (!node.isObject() || node.isEmpty()) {
        settings.put(path, node);
        return;
      }
      node.properties()
          .forEach(
              p ->
                  flatten(path + (path.isEmpty() ? "" : ".") + p.getKey(), p.getValue(), settings));
    }
  }

  /**
   * Finds all models.
   *
   * @param by the name of a number by which they are sorted, with a minus before it if the largest
   *     comes first
   * @throws UserError K7503 if there is no such folder, K7501 if no model has such a number
   */
  public static ModelTable of(List<Path> folders, String by) {
    var runs = new ArrayList<Run>();
    var faults = new LinkedHashMap<Path, Diagnostic>();
    for (var folder : folders(folders)) {
      try {
        runs.add(Run.of(SavedModel.folder(folder)));
      } catch (UserError e) {
        faults.put(folder, e.diagnostics().getFirst());
      } catch (IOException e) {
        faults.put(folder, UserPath.cannotRead(folder, K7103, e).diagnostics().getFirst());
      }
    }
    boolean descending = by.startsWith("-");
    var names = new LinkedHashSet<String>();
    runs.forEach(r -> names.addAll(r.scores().keySet()));
    var name = Scores.found(by.substring(descending ? 1 : 0), names);
    if (!runs.isEmpty() && !names.contains(name) && !by.equals("loss")) {
      throw new UserError(
          K7501, "no model has " + name, NearestName.hintOrFew(name, names, "there are"));
    }
    runs.sort(Comparator.comparing(r -> r.scores().get(name), order(descending)));
    return new ModelTable(runs, faults);
  }

  /** Runs without such a number, or with a NaN, come last in either order. */
  private static Comparator<Number> order(boolean descending) {
    Comparator<Number> least = Scores::compare;
    return Comparator.comparing(
            (Number score) -> score == null || Double.isNaN(score.doubleValue()))
        .thenComparing(Comparator.nullsLast(descending ? least.reversed() : least));
  }

  private static Iterable<Path> folders(List<Path> roots) {
    var found = new TreeSet<Path>();
    for (var root : roots) {
      try (var all = Files.walk(root)) {
        all.filter(Files::isDirectory).filter(ModelTable::isOutput).forEach(found::add);
      } catch (IOException e) {
        throw UserPath.cannotRead(root, K7503, e);
      } catch (UncheckedIOException e) {
        throw UserPath.cannotRead(root, K7503, e.getCause());
      }
    }
    return found;
  }

  private static boolean isOutput(Path folder) {
    return !UserPath.name(folder).equals(OutputFolder.PREVIOUS)
        && (Files.exists(folder.resolve(OutputFolder.MODEL_JSON))
            || Files.exists(folder.resolve(OutputFolder.MODEL_ARROW))
            || new OutputFolder(folder).hasCheckpoint());
  }

  /** Returns the paths of settings that differ. */
  private List<String> differing() {
    SequencedSet<String> all = new LinkedHashSet<>();
    runs.forEach(r -> all.addAll(r.settings().keySet()));
    return all.stream()
        .filter(s -> runs.stream().map(r -> r.settings().get(s)).distinct().count() > 1)
        .toList();
  }

  /**
   * Returns the table as lines of text. Models of different programs have little in common, so each
   * program has a table of its own.
   */
  public List<String> lines() {
    var programs = new LinkedHashMap<String, List<Run>>();
    for (var r : runs) {
      programs.computeIfAbsent(shown(r.settings().get("program")), _ -> new ArrayList<>()).add(r);
    }
    var lines = new ArrayList<String>();
    programs.forEach(
        (program, own) -> {
          if (programs.size() > 1) {
            lines.add(program);
          }
          lines.addAll(aligned(new ModelTable(own, new LinkedHashMap<>()).rows()));
          if (programs.size() > 1) {
            lines.add("");
          }
        });
    faults.forEach((folder, d) -> lines.add(folder + "  " + d.code() + ": " + d.message()));
    return lines;
  }

  private List<List<String>> rows() {
    var settings = differing();
    SequencedSet<String> scores = new LinkedHashSet<>();
    runs.forEach(r -> scores.addAll(r.scores().keySet()));
    var rows = new ArrayList<List<String>>();
    var header = new ArrayList<>(List.of("folder"));
    var others = new ArrayList<>(scores);
    others.addAll(List.of("iterations", "seconds", "finished"));
    settings.forEach(s -> header.add(others.contains(s) ? "setting " + s : s));
    header.addAll(others);
    rows.add(header);
    for (var r : runs) {
      var row = new ArrayList<>(List.of(r.folder().toString()));
      settings.forEach(s -> row.add(shown(r.settings().get(s))));
      scores.forEach(s -> row.add(number(s, r.scores().get(s))));
      row.add(Integer.toString(r.iterations()));
      row.add(String.format(Locale.ROOT, "%.1f", r.seconds()));
      row.add(TIME.format(r.finished().atZone(ZoneId.systemDefault())));
      rows.add(row);
    }
    return rows;
  }

  private static List<String> aligned(List<List<String>> rows) {
    var widths = new int[rows.getFirst().size()];
    for (var row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    var lines = new ArrayList<String>();
    for (var row : rows) {
      var line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
      }
      lines.add(line.toString().stripTrailing());
    }
    return lines;
  }

  private static String shown(JsonNode setting) {
    var text = setting == null ? "-" : setting.isTextual() ? setting.asText() : setting.toString();
    return text.length() <= WIDTH ? text : text.substring(0, WIDTH - 3) + "...";
  }

  /** Losses always have the digits of numbers that needn't be whole; metrics may be integers. */
  private static String number(String name, Number number) {
    if (number == null) {
      return "-";
    }
    boolean loss = name.equals("loss") || name.equals("validation.loss");
    return loss ? String.format(Locale.ROOT, "%.6g", number.doubleValue()) : Scores.text(number, 6);
  }

  /** Returns the table as a JSON array, with all settings that differ and exact numbers. */
  public ArrayNode json() {
    var settings = differing();
    var all = JSON.createArrayNode();
    for (var r : runs) {
      var run = all.addObject().put("folder", r.folder().toString());
      var differing = run.putObject("settings");
      settings.stream()
          .filter(r.settings()::containsKey)
          .forEach(s -> differing.set(s, r.settings().get(s)));
      run.set("scores", JSON.valueToTree(r.scores()));
      run.put("iterations", r.iterations()).put("rows", r.rows()).put("seconds", r.seconds());
      run.put("finished", r.finished().toString());
    }
    faults.forEach(
        (folder, d) ->
            all.addObject()
                .put("folder", folder.toString())
                .put("code", d.code().name())
                .put("message", d.message()));
    return all;
  }
}
