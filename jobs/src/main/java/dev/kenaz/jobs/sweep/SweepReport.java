package dev.kenaz.jobs.sweep;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.picture.AxisPictures;
import dev.kenaz.jobs.picture.Chart;
import dev.kenaz.jobs.picture.Page;
import dev.kenaz.jobs.train.OutputFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What a page tells of a sweep that trains: a table of its cells, their losses, and how the loss
 * and the time of an iteration depend on the settings.
 *
 * @param folder that of the sweep
 * @param document the sweep's configuration; empty if an earlier version has run it
 */
public record SweepReport(Path folder, Optional<JsonNode> document, List<CellResult> rows)
    implements Page.Part {
  static final String CONFIG = "config.json";

  /** Whether a folder is of a sweep that trains. */
  public static boolean isOf(Path folder) {
    return new SweepTable(new OutputFolder(folder)).exists();
  }

  /**
   * Reads what a sweep has written.
   *
   * @throws dev.kenaz.error.UserError K7103 if that can't be read
   */
  public static SweepReport read(Path folder) {
    var config = folder.resolve(CONFIG);
    var document =
        Files.exists(config)
            ? Optional.of(ConfigReader.document(config, List.of()))
            : Optional.<JsonNode>empty();
    return new SweepReport(folder, document, new SweepTable(new OutputFolder(folder)).rows());
  }

  static Path write(OutputFolder output) {
    output.writeText(Page.NAME, Page.of(List.of(read(output.path()))));
    return output.path().resolve(Page.NAME);
  }

  @Override
  public String title() {
    return UserPath.name(folder.toAbsolutePath().normalize());
  }

  @Override
  public void addTo(Page page) {
    long done = rows.stream().filter(CellResult::isDone).count();
    page.paragraph(
        "note", "%d cells: %d trained, %d failed".formatted(rows.size(), done, rows.size() - done));
    table(page);
    pictures(page);
    document.ifPresent(d -> page.text("Configuration", shown(d)));
  }

  private static String shown(JsonNode document) {
    try {
      var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
      return json.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // It was read as JSON.
    }
  }

  // The table

  private Set<String> settings() {
    var paths = new LinkedHashSet<String>();
    rows.forEach(r -> r.settings().fieldNames().forEachRemaining(paths::add));
    return paths;
  }

  private void table(Page page) {
    var headers = new ArrayList<String>();
    settings().forEach(s -> headers.add(s.substring(s.lastIndexOf('.') + 1)));
    headers.addAll(List.of("loss", "iterations", "iteration", "in all", "rows/s", "model"));
    page.table("Models", headers);
    var best =
        rows.stream()
            .filter(r -> r.isDone() && r.cost() != null)
            .min(Comparator.comparingDouble(CellResult::cost));
    for (var r : rows) {
      var kind = !r.isDone() ? "failed" : best.equals(Optional.of(r)) ? "best" : "";
      row(page.row(kind, r.folder() == null ? "" : r.folder()), r);
      page.endRow();
    }
    page.endTable();
  }

  private void row(Page page, CellResult r) {
    for (var s : settings()) {
      var value = r.settings().get(s);
      if (value != null && value.isNumber()) {
        page.number(value.asDouble(), value.asText());
      } else {
        page.cell(value == null ? "" : Settings.shown(value));
      }
    }
    page.number(r.cost(), r.cost() == null ? "" : format("%.6g", r.cost()));
    page.number(r.iterations() == null ? null : r.iterations().doubleValue(), r.iterations() + "");
    page.number(r.secondsPerIteration(), seconds(r.secondsPerIteration()));
    page.number(r.seconds(), seconds(r.seconds()));
    page.number(
        r.rowsPerSecond(), r.rowsPerSecond() == null ? "" : format("%,.0f", r.rowsPerSecond()));
    if (!r.isDone()) {
      page.cell("failed: " + r.code() + " " + r.message());
    } else {
      page.link("report", r.folder() + "/" + OutputFolder.REPORT);
    }
  }

  private static String seconds(Double s) {
    return s == null ? "" : format("%.3g s", s);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  // Pictures

  private void pictures(Page page) {
    var costs = pictures(CellResult::cost);
    var curves = new LinkedHashMap<AxisPictures.Row, List<double[]>>();
    for (var r : judged()) {
      curves.put(row(r, r.cost()), points(r.costs()));
    }
    page.pictures("Losses", costs.curves("iterations", curves::get));
    if (judged().stream().allMatch(r -> r.cost() > 0)) {
      page.pictures("Loss by setting", costs.scaling("loss"));
      page.pictures("Loss by two settings", costs.maps("loss", Chart::shown));
    }
    var times = pictures(CellResult::secondsPerIteration);
    page.pictures("Time by setting", times.scaling("seconds of an iteration"));
    page.pictures("Time by two settings", times.maps("an iteration", SweepReport::seconds));
  }

  private List<CellResult> judged() {
    return rows.stream()
        .filter(r -> r.isDone() && r.cost() != null && Double.isFinite(r.cost()))
        .toList();
  }

  private AxisPictures pictures(ToDoubleFunction<CellResult> value) {
    return new AxisPictures(
        judged().stream().map(r -> row(r, value.applyAsDouble(r))).toList(), Map.of());
  }

  private static AxisPictures.Row row(CellResult r, double value) {
    return new AxisPictures.Row(r.axes(), r.settings(), value);
  }

  private static List<double[]> points(List<Double> costs) {
    return IntStream.range(0, costs.size()).mapToObj(i -> new double[] {i, costs.get(i)}).toList();
  }
}
