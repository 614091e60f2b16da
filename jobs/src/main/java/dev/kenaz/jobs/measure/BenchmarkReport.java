package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.picture.Page;
import dev.kenaz.jobs.train.OutputFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a page tells of the results of a sweep that measures. It is made of what the sweep has
 * written into its folder, so it can be made again.
 */
public final class BenchmarkReport {
  static final String CONFIG = "config.json";

  private final Page page;
  private final Sweep sweep;

  private BenchmarkReport(Page page, Sweep sweep) {
    this.page = page;
    this.sweep = sweep;
  }

  /** What a folder has. */
  private record Sweep(
      Path folder,
      BenchmarkConfig config,
      JsonNode document,
      Machine machine,
      List<Measurement> rows)
      implements Page.Part {
    static Sweep read(Path folder) {
      var rows = List.copyOf(MeasurementsFile.read(folder).values());
      var config = folder.resolve(CONFIG);
      var document = ConfigReader.document(config, List.of());
      return new Sweep(
          folder,
          ConfigReader.readBenchmark(config, List.of()),
          document,
          Machine.of(folder),
          rows);
    }

    @Override
    public String title() {
      return config.title().orElseGet(() -> UserPath.name(folder.toAbsolutePath().normalize()));
    }

    @Override
    public void addTo(Page page) {
      var report = new BenchmarkReport(page, this);
      report.machine();
      report.table();
      report.pictures();
      report.configuration();
    }
  }

  /** Whether a folder is of a sweep that measures. */
  public static boolean isOf(Path folder) {
    return Files.exists(folder.resolve(MeasurementsFile.NAME));
  }

  /**
   * Returns what a page tells of a sweep.
   *
   * @throws UserError K7103 if the folder has no results
   */
  public static Page.Part read(Path folder) {
    return Sweep.read(folder);
  }

  static Path write(OutputFolder output) {
    output.writeText(Page.NAME, Page.of(List.of(read(output.path()))));
    return output.path().resolve(Page.NAME);
  }

  private void machine() {
    var m = sweep.machine();
    page.paragraph("note", "Machine " + m.name() + ": " + m.text() + ". Kenaz " + m.kenaz() + ".");
    m.doubts().forEach(d -> page.paragraph("warning", d + "; times may be wrong"));
    long failed = sweep.rows().stream().filter(r -> !r.isDone()).count();
    long noisy = sweep.rows().stream().filter(r -> r.isDone() && !r.noise().isEmpty()).count();
    page.paragraph(
        "note",
        "%d cells: %d measured, of which %d are noisy; %d failed"
            .formatted(sweep.rows().size(), sweep.rows().size() - failed, noisy, failed));
  }

  // The table

  private void table() {
    var axes = new LinkedHashSet<String>();
    sweep.rows().forEach(r -> axes.addAll(r.axes().keySet()));
    var ratios = new Ratios(sweep.config().ratios().orElseGet(LinkedHashMap::new));
    var headers = new ArrayList<>(axes);
    headers.addAll(List.of("time", "±"));
    for (var name : ratios.wanted().keySet()) {
      headers.add(name);
      if (sweep.config().papers().isPresent()) {
        headers.add(name + ", paper");
      }
    }
    if (isCounted()) {
      headers.addAll(List.of("10⁹ op/s", "op/byte"));
    }
    headers.addAll(List.of("CPU", "compile", "memory"));
    events().forEach(e -> headers.add(e.replace('-', ' ')));
    headers.add("remarks");
    page.table("Times", headers);
    sweep.rows().forEach(r -> row(r, axes, ratios));
    page.endTable();
  }

  private void row(Measurement m, Set<String> axes, Ratios ratios) {
    var kind = !m.isDone() ? "failed" : m.noise().isEmpty() ? "" : "noisy";
    page.row(kind, m.cell());
    axes.forEach(a -> page.cell(m.axes().getOrDefault(a, "")));
    page.number(m.seconds(), m.isDone() ? Units.seconds(m.seconds()) : "");
    page.number(m.isDone() ? m.margin() : null, m.isDone() ? percent(m.margin()) : "");
    var own = ratios.of(m, sweep.rows());
    for (var name : ratios.wanted().keySet()) {
      var x = own.get(name);
      page.number(x, x == null ? "" : format("%.3g", x));
      if (sweep.config().papers().isPresent()) {
        var paper = Papers.ratio(sweep.config(), m, name);
        page.number(
            paper.isPresent() ? paper.getAsDouble() : null, Papers.text(sweep.config(), m, name));
      }
    }
    if (isCounted()) {
      var work = m.work();
      boolean counted = m.isDone() && work != null && work.operations() != null;
      number(counted ? work.operations() / m.seconds() / 1e9 : null);
      number(counted && work.isWhole() ? work.intensity() : null);
    }
    page.number(m.cpu(), m.cpu() == null ? "" : Units.seconds(m.cpu()));
    page.number(m.compile(), m.compile() == null ? "" : Units.seconds(m.compile()));
    page.number(
        m.peak() == null ? null : m.peak().doubleValue(),
        m.peak() == null ? "" : Units.bytes(m.peak()));
    events().forEach(e -> number(m.events() == null ? null : m.events().get(e)));
    page.cell(remarks(m)).endRow();
  }

  /** Returns the events of the processor that were counted for some cell. */
  private Set<String> events() {
    var all = new LinkedHashSet<String>();
    sweep.rows().stream()
        .filter(r -> r.events() != null)
        .forEach(r -> all.addAll(r.events().keySet()));
    return all;
  }

  private boolean isCounted() {
    return sweep.rows().stream().anyMatch(r -> r.work() != null);
  }

  private void number(Double x) {
    page.number(x, x == null ? "" : format("%.3g", x));
  }

  private static String remarks(Measurement m) {
    if (!m.isDone()) {
      return m.status().name().toLowerCase(Locale.ROOT) + ": " + m.message();
    }
    var remarks = new LinkedHashSet<>(m.noise());
    if (m.outliers() > 0) {
      remarks.add(m.outliers() == 1 ? "1 outlier" : m.outliers() + " outliers");
    }
    if (m.collection() > 0.02) {
      remarks.add("garbage collection " + percent(m.collection()));
    }
    return String.join("; ", remarks);
  }

  private static String percent(double part) {
    return format("%.1f %%", 100 * part);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  // Pictures and texts

  private void pictures() {
    var pictures = new BenchmarkPictures(sweep.config(), sweep.rows());
    page.pictures("Ratios", pictures.ratios());
    page.pictures("Scaling", pictures.scaling());
    page.pictures("Maps", pictures.maps());
    page.pictures("Roofline", pictures.rooflines(Ceilings.read(sweep.folder())));
  }

  private void configuration() {
    try {
      var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
      page.text("Configuration", json.writeValueAsString(sweep.document()));
    } catch (IOException e) {
      throw new IllegalStateException(e); // It was read as JSON.
    }
  }
}
