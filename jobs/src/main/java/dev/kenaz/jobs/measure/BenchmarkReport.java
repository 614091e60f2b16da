package dev.kenaz.jobs.measure;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.kenaz.distribute.report.Svg;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.config.ConfigReader;
import dev.kenaz.jobs.train.OutputFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A page about the results of sweeps that measure, which is one file without links. It is made of
 * what they have written into their folders, so it can be made again, and of several sweeps.
 */
public final class BenchmarkReport {
  static final String MACHINE = "machine.json";
  static final String CONFIG = "config.json";
  static final String NAME = "report.html";

  private static final String STYLE =
      """
      body { font-family: sans-serif; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
      h1, p, td, th { overflow-wrap: anywhere; }
      h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; }
      td, th { padding: 3px 10px; border: 1px solid #ddd; text-align: left; overflow-wrap: normal; }
      td.n { text-align: right; white-space: nowrap; }
      th { cursor: pointer; background: #f6f6f6; }
      tr.noisy td { background: #fff8e0; }
      tr.failed td { background: #fde8e4; }
      pre { background: #f6f6f6; padding: 1em; overflow-x: auto; }
      .warning { background: #fff2cc; padding: 0.5em 1em; }
      .pictures svg { max-width: 100%; height: auto; }
      """;

  /** Sorts a table by the column whose header is clicked. */
  private static final String SCRIPT =
      """
      document.querySelectorAll("table.sorted th").forEach(function (th) {
        th.onclick = function () {
          var table = th.closest("table"), at = th.cellIndex;
          var down = th.dataset.order !== "up";
          th.dataset.order = down ? "up" : "down";
          var rows = Array.from(table.tBodies[0].rows);
          rows.sort(function (a, b) {
            var x = a.cells[at].dataset.n, y = b.cells[at].dataset.n;
            var order = x !== undefined && y !== undefined
              ? x - y : a.cells[at].textContent.localeCompare(b.cells[at].textContent);
            return down ? order : -order;
          });
          rows.forEach(function (r) { table.tBodies[0].appendChild(r); });
        };
      });
      """;

  private final StringBuilder page = new StringBuilder();

  private BenchmarkReport() {}

  /** What a folder has. */
  private record Sweep(
      Path folder,
      BenchmarkConfig config,
      JsonNode document,
      Machine machine,
      List<Measurement> rows) {
    static Sweep read(Path folder) {
      var rows = List.copyOf(MeasurementsFile.read(folder).values());
      var config = folder.resolve(CONFIG);
      try {
        var document = ConfigReader.document(config, List.of());
        var machine =
            MeasurementsFile.JSON.readValue(
                Files.readString(folder.resolve(MACHINE)), Machine.class);
        return new Sweep(
            folder, ConfigReader.readBenchmark(config, List.of()), document, machine, rows);
      } catch (IOException e) {
        throw UserPath.cannotRead(folder.resolve(MACHINE), K7103, e);
      }
    }

    String title() {
      return config.title().orElseGet(() -> UserPath.name(folder.toAbsolutePath().normalize()));
    }
  }

  /** Whether a folder is of a sweep that measures. */
  public static boolean isOf(Path folder) {
    return Files.exists(folder.resolve(MeasurementsFile.NAME));
  }

  static Path write(OutputFolder output) {
    var page = page(List.of(output.path()));
    output.write(NAME, out -> out.write(page.getBytes(StandardCharsets.UTF_8)));
    return output.path().resolve(NAME);
  }

  /** Writes the report of a folder into it again. */
  public static Path write(Path folder) {
    return write(new OutputFolder(folder));
  }

  /**
   * Returns one page about several sweeps.
   *
   * @throws UserError K7103 if a folder has no results
   */
  public static String page(List<Path> folders) {
    var sweeps = folders.stream().map(Sweep::read).toList();
    return new BenchmarkReport().of(sweeps);
  }

  private String of(List<Sweep> sweeps) {
    var title = sweeps.size() == 1 ? sweeps.getFirst().title() : sweeps.size() + " sweeps";
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/><title>")
        .append(Svg.escaped(title))
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style></head>\n<body>\n<h1>")
        .append(Svg.escaped(title))
        .append("</h1>\n");
    for (int i = 0; i < sweeps.size(); i++) {
      var sweep = sweeps.get(i);
      if (sweeps.size() > 1) {
        page.append("<h1>").append(Svg.escaped(sweep.title())).append("</h1>\n");
      }
      machine(sweep, i > 0 && sweep.machine().equals(sweeps.get(i - 1).machine()));
      table(sweep);
      pictures(sweep);
      configuration(sweep);
    }
    page.append("<script>\n").append(SCRIPT).append("</script>\n</body>\n</html>\n");
    return page.toString();
  }

  private void paragraph(String kind, String text) {
    page.append("<p class=\"%s\">".formatted(kind)).append(Svg.escaped(text)).append("</p>\n");
  }

  private void machine(Sweep sweep, boolean told) {
    var m = sweep.machine();
    if (!told) {
      paragraph("note", "Machine " + m.name() + ": " + m.text() + ". Kenaz " + m.kenaz() + ".");
      m.doubts().forEach(d -> paragraph("warning", d + "; times may be wrong"));
    }
    long failed = sweep.rows().stream().filter(r -> !r.isDone()).count();
    long noisy = sweep.rows().stream().filter(r -> r.isDone() && !r.noise().isEmpty()).count();
    paragraph(
        "note",
        "%d cells: %d measured, of which %d are noisy; %d failed"
            .formatted(sweep.rows().size(), sweep.rows().size() - failed, noisy, failed));
  }

  // The table

  private void table(Sweep sweep) {
    var axes = new LinkedHashSet<String>();
    sweep.rows().forEach(r -> axes.addAll(r.axes().keySet()));
    var ratios = new Ratios(sweep.config().ratios().orElseGet(LinkedHashMap::new));
    page.append("<h2>Times</h2>\n<div class=\"wide\"><table class=\"sorted\"><thead><tr>");
    axes.forEach(this::header);
    header("time");
    header("±");
    ratios
        .wanted()
        .forEach(
            (name, _) -> {
              header(name);
              if (sweep.config().papers().isPresent()) {
                header(name + ", paper");
              }
            });
    List.of("CPU", "compile", "memory", "remarks").forEach(this::header);
    page.append("</tr></thead><tbody>\n");
    sweep.rows().forEach(r -> row(sweep, r, axes, ratios));
    page.append("</tbody></table></div>\n");
  }

  private void header(String text) {
    page.append("<th>").append(Svg.escaped(text)).append("</th>");
  }

  private void cell(String text) {
    page.append("<td>").append(Svg.escaped(text)).append("</td>");
  }

  private void number(Double x, String text) {
    page.append("<td class=\"n\" data-n=\"")
        .append(x == null ? -1 : x)
        .append("\">")
        .append(x == null ? "" : Svg.escaped(text))
        .append("</td>");
  }

  private void row(Sweep sweep, Measurement m, Set<String> axes, Ratios ratios) {
    var kind = !m.isDone() ? "failed" : m.noise().isEmpty() ? "" : "noisy";
    page.append("<tr class=\"%s\" title=\"%s\">".formatted(kind, Svg.escaped(m.cell())));
    axes.forEach(a -> cell(m.axes().getOrDefault(a, "")));
    number(m.seconds(), m.isDone() ? Units.seconds(m.seconds()) : "");
    number(m.isDone() ? m.margin() : null, m.isDone() ? percent(m.margin()) : "");
    var own = ratios.of(m, sweep.rows());
    for (var name : ratios.wanted().keySet()) {
      var x = own.get(name);
      number(x, x == null ? "" : format("%.3g", x));
      if (sweep.config().papers().isPresent()) {
        var paper = Papers.ratio(sweep.config(), m, name);
        number(
            paper.isPresent() ? paper.getAsDouble() : null, Papers.text(sweep.config(), m, name));
      }
    }
    number(m.cpu(), m.cpu() == null ? "" : Units.seconds(m.cpu()));
    number(m.compile(), m.compile() == null ? "" : Units.seconds(m.compile()));
    number(
        m.peak() == null ? null : m.peak().doubleValue(),
        m.peak() == null ? "" : Units.bytes(m.peak()));
    cell(remarks(m));
    page.append("</tr>\n");
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

  private void pictures(Sweep sweep) {
    var pictures = new BenchmarkPictures(sweep.config(), sweep.rows());
    section("Ratios", pictures.ratios());
    section("Scaling", pictures.scaling());
    section("Maps", pictures.maps());
  }

  private void section(String title, List<String> pictures) {
    if (!pictures.isEmpty()) {
      page.append("<h2>").append(title).append("</h2>\n<div class=\"pictures\">\n");
      pictures.forEach(page::append);
      page.append("</div>\n");
    }
  }

  private void configuration(Sweep sweep) {
    page.append("<h2>Configuration</h2>\n<pre>");
    try {
      var json = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
      page.append(Svg.escaped(json.writeValueAsString(sweep.document())));
    } catch (IOException e) {
      throw new IllegalStateException(e); // It was read as JSON.
    }
    page.append("</pre>\n");
  }
}
