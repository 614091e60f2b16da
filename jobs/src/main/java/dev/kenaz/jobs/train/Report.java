package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7103;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.distribute.report.Svg;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.config.Settings;
import dev.kenaz.jobs.picture.Chart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * A page about a training, which is one file without links and scripts. It is made of what the
 * training has written: its events, and what {@code model.json} says of the model if there is one.
 */
public final class Report {
  private static final ObjectMapper INDENTED =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final String STYLE =
      """
      body { font-family: sans-serif; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
      h1, p, td, th { overflow-wrap: anywhere; }
      h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
      .wide { overflow-x: auto; }
      .wide td, .wide th { overflow-wrap: normal; }
      table { border-collapse: collapse; }
      td, th { padding: 3px 10px; border: 1px solid #ddd; text-align: right; }
      td:first-child, th:first-child { text-align: left; }
      pre { background: #f6f6f6; padding: 1em; overflow-x: auto; }
      .warning { background: #fff2cc; padding: 0.5em 1em; }
      .best { font-weight: bold; }
      .pictures svg, .pictures img { max-width: 100%; height: auto; }
      """;

  /** How many models' curves are drawn: a picture has no more colours. */
  private static final int CURVES = 6;

  private final Path folder;
  private final List<TrainEvent> events;
  private final ModelFolder model;
  private final StringBuilder page = new StringBuilder();

  private Report(Path folder, List<TrainEvent> events, ModelFolder model) {
    this.folder = folder;
    this.events = events;
    this.model = model;
  }

  /**
   * Writes the report of a training into its folder.
   *
   * @return where it is
   * @throws UserError K7103 if the folder has no events of a training
   */
  public static Path write(Path folder) {
    var output = new OutputFolder(folder);
    try {
      var events = EventsFile.read(folder);
      if (events.isEmpty()) {
        throw new UserError(
            K7103,
            folder + " has no " + OutputFolder.EVENTS + " of a training",
            "kenaz train writes it; trainings of earlier versions have none");
      }
      var page = new Report(folder, events, ModelFolder.open(folder).orElse(null)).page();
      output.write(OutputFolder.REPORT, out -> out.write(page.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw UserPath.cannotRead(folder.resolve(OutputFolder.EVENTS), K7103, e);
    }
    return folder.resolve(OutputFolder.REPORT);
  }

  /** Returns the report of a training that is running, by what has happened so far. */
  static String of(List<TrainEvent> events) {
    try {
      return new Report(null, events, null).page();
    } catch (IOException e) { // Nothing is read without a model.
      throw new UncheckedIOException(e);
    }
  }

  private <T extends TrainEvent> List<T> all(Class<T> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private String page() throws IOException {
    var started = all(TrainEvent.Started.class);
    var name = started.isEmpty() ? "a training" : started.getLast().program();
    page.append("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n")
        .append("<head><meta charset=\"utf-8\"/><title>Training of ")
        .append(Svg.escaped(name))
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style></head>\n<body>\n<h1>Training of ")
        .append(Svg.escaped(name))
        .append("</h1>\n");
    summary(started);
    if (model != null && model.document().trained() != null) {
      models(model.document().trained());
    }
    curves();
    time();
    all(TrainEvent.Fit.class).reversed().stream().limit(1).forEach(this::fit);
    plan();
    all(TrainEvent.Data.class).reversed().stream().limit(1).forEach(this::data);
    texts();
    return page.append("</body>\n</html>\n").toString();
  }

  private static String formatted(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private void section(String title) {
    page.append("<h2>").append(Svg.escaped(title)).append("</h2>\n");
  }

  private void paragraph(String kind, String text) {
    page.append("<p class=\"%s\">".formatted(kind)).append(Svg.escaped(text)).append("</p>\n");
  }

  private void row(String cell, Object... cells) {
    page.append("<tr>");
    for (var text : cells) {
      var end = cell.substring(0, 2);
      page.append("<%s>%s</%s>".formatted(cell, Svg.escaped(text.toString()), end));
    }
    page.append("</tr>\n");
  }

  private void summary(List<TrainEvent.Started> started) {
    page.append("<table>\n");
    var steps = all(TrainEvent.Iteration.class);
    row("td", "state", state());
    var rounds = called().equals(TrainEvent.PASS) ? "passes" : "iterations";
    row("td", rounds, steps.isEmpty() ? 0 : steps.getLast().iteration());
    if (model != null) {
      var d = model.document();
      if (d.loss() != null) {
        row("td", "loss", Chart.worth(d.loss()));
      }
      Scores.shown(d.metrics()).forEach((name, number) -> row("td", name, Chart.worth(number)));
      if (d.validation() != null) {
        d.validation()
            .all("validation ")
            .forEach((name, number) -> row("td", name, Chart.worth(number)));
      }
    }
    double seconds = steps.stream().mapToDouble(TrainEvent.Iteration::seconds).sum();
    row("td", "time of the iterations", Chart.shown(seconds) + " s");
    if (!started.isEmpty()) {
      var s = started.getLast();
      var pieces = s.pieces() == 1 ? "one piece" : formatted("%,d pieces", s.pieces());
      row("td", "data", formatted("%,d rows in %s", s.rows(), pieces));
      if (s.validation() != null) {
        row("td", "validation", formatted("%,d rows", s.validation()));
      }
      row("td", "Spark", s.spark());
      row("td", "backend", s.backend());
      row("td", "versions", "Kenaz " + s.kenaz() + ", Java " + s.java());
    }
    page.append("</table>\n");
    all(TrainEvent.Warning.class).forEach(w -> paragraph("warning", "warning: " + w.text()));
    all(TrainEvent.Failed.class).forEach(f -> paragraph("warning", "failed: " + f.message()));
    all(TrainEvent.Note.class).forEach(n -> paragraph("note", n.text()));
  }

  /** Returns what this training counts. */
  private String called() {
    var started = all(TrainEvent.Started.class);
    return started.isEmpty() ? TrainEvent.ITERATION : started.getLast().called();
  }

  private String state() {
    var ended = all(TrainEvent.Ended.class);
    if (!ended.isEmpty()) {
      return "ended: "
          + ended.getLast().reason().text()
          + (model == null ? "; there is no model yet" : "");
    }
    return all(TrainEvent.Failed.class).isEmpty() ? "not ended" : "failed";
  }

  /** Shows the models of which this is the best one, or those of the folds before it. */
  private void models(List<Trained> trained) throws IOException {
    boolean folds = trained.stream().allMatch(t -> t.settings() == null);
    section(folds ? "Folds" : "Models");
    var names = new LinkedHashSet<String>();
    trained.forEach(t -> names.addAll(numbers(t).keySet()));
    page.append("<div class=\"wide\"><table>\n");
    var header = new ArrayList<Object>(List.of("model"));
    if (!folds) {
      header.add("settings");
    }
    header.add(called().equals(TrainEvent.PASS) ? "passes" : "iterations");
    header.addAll(names);
    row("th", header.toArray());
    for (var t : trained) {
      row(isResult(t) ? "td class=\"best\"" : "td", cells(t, names, folds));
    }
    var best =
        trained.stream()
            .filter(t -> t.loss() != null)
            .sorted(Comparator.comparingDouble(Trained::loss))
            .limit(CURVES)
            .toList();
    var curves = new ArrayList<Chart.Curve>();
    for (var t : best) {
      var of = new Report(folder, EventsFile.read(folder.resolve(t.name())), null);
      curves.add(of.curve(t.name(), TrainEvent.Iteration::loss));
    }
    page.append("</table></div>\n");
    if (folds && trained.size() > 1) {
      paragraph("note", Trained.text(trained).replace("+-", "±").replace("  ", ", "));
    }
    page.append("<div class=\"pictures\">\n");
    draw(folds ? "Loss of the folds" : "Loss of the best models", curves);
    page.append("</div>\n");
  }

  /** Whether a model is the one in this folder. */
  private boolean isResult(Trained t) {
    var d = model.document();
    return t.settings() != null
        && t.failure() == null
        && Objects.equals(t.loss(), d.loss())
        && t.metrics().equals(d.metrics());
  }

  private static Object[] cells(Trained t, Collection<String> names, boolean fold) {
    var cells = new ArrayList<Object>(List.of(t.name()));
    if (!fold) {
      cells.add(t.settings() instanceof ObjectNode o ? Settings.title(o, _ -> true) : "");
    }
    cells.add(t.failure() == null ? t.iterations() : "failed: " + t.failure());
    var numbers = numbers(t);
    names.forEach(n -> cells.add(numbers.containsKey(n) ? Chart.worth(numbers.get(n)) : ""));
    return cells.toArray();
  }

  private static Map<String, Number> numbers(Trained t) {
    var numbers = new LinkedHashMap<String, Number>();
    if (t.loss() != null) {
      numbers.put("loss", t.loss());
    }
    numbers.putAll(Scores.shown(t.metrics()));
    if (t.validation() != null) {
      numbers.putAll(t.validation().all("validation "));
    }
    return numbers;
  }

  private Chart.Curve curve(String name, Function<TrainEvent.Iteration, Number> number) {
    var points = new ArrayList<double[]>();
    for (var i : all(TrainEvent.Iteration.class)) {
      var y = number.apply(i);
      if (y != null) {
        points.add(new double[] {i.iteration(), y.doubleValue()});
      }
    }
    return new Chart.Curve(name, points);
  }

  private void curves() {
    section("Curves");
    page.append("<div class=\"pictures\">\n");
    var names = new LinkedHashSet<String>();
    all(TrainEvent.Iteration.class).forEach(i -> names.addAll(metrics(i).keySet()));
    var loss = new ArrayList<>(List.of(curve("loss", TrainEvent.Iteration::loss)));
    if (names.remove("validation loss")) {
      loss.add(curve("validation loss", i -> metrics(i).get("validation loss")));
    }
    draw("Loss", loss);
    names.forEach(
        name -> draw(Scores.shown(name), List.of(curve(name, i -> metrics(i).get(name)))));
    draw("Length of the gradient", List.of(curve("", TrainEvent.Iteration::gradient)));
    draw("Length of the step", List.of(curve("", i -> i.iteration() == 0 ? null : i.step())));
    draw("Seconds", List.of(curve("", TrainEvent.Iteration::seconds)));
    page.append("</div>\n");
  }

  private static Map<String, Number> metrics(TrainEvent.Iteration i) {
    return i.metrics() == null ? Map.of() : i.metrics();
  }

  private void draw(String title, List<Chart.Curve> curves) {
    if (curves.stream().anyMatch(c -> !c.points().isEmpty())) {
      page.append(Chart.curves(title, called(), curves));
    }
  }

  private void time() {
    var parts = new LinkedHashMap<String, Double>();
    for (var i : all(TrainEvent.Iteration.class)) {
      if (i.stages() != null) {
        parts.merge("compute", i.stages().compute(), Double::sum);
        parts.merge("data", i.stages().data(), Double::sum);
        parts.merge("combination", i.stages().combination(), Double::sum);
        parts.merge("Spark", i.stages().spark(), Double::sum);
        parts.merge("driver", i.stages().driver(), Double::sum);
      }
    }
    if (!parts.isEmpty()) {
      section("Time by stage");
      page.append("<div class=\"pictures\">\n");
      page.append(Chart.bar("All iterations", parts, "s")).append("</div>\n");
    }
  }

  private void fit(TrainEvent.Fit f) {
    section("Fit");
    boolean classes = f.classes() != null && !f.classes().isEmpty();
    paragraph("note", formatted("%,d rows of the %s", f.rows(), f.where()));
    if (!classes) {
      var points = f.pairs().stream().map(p -> new double[] {p.getFirst(), p.getLast()}).toList();
      page.append("<div class=\"pictures\">\n")
          .append(Chart.points("Prediction over " + f.label(), f.label(), "prediction", points))
          .append("</div>\n");
      return;
    }
    page.append("<div class=\"wide\"><table class=\"confusion\">\n");
    var header = new ArrayList<Object>(List.of(f.label() + " \\ prediction"));
    header.addAll(f.classes());
    row("th", header.toArray());
    long right = 0;
    for (int i = 0; i < f.classes().size(); i++) {
      page.append("<tr>").append("<td>%s</td>".formatted(f.classes().get(i)));
      var counts = f.counts().get(i);
      long all = counts.stream().mapToLong(c -> c).sum();
      for (int j = 0; j < counts.size(); j++) {
        page.append(shaded(counts.get(j), all, i == j));
      }
      page.append("</tr>\n");
      right += counts.get(i);
    }
    page.append("</table></div>\n");
    paragraph("note", "%s of them are predicted right".formatted(percent(right, f.rows())));
  }

  /** Returns a cell of a confusion matrix, darker the more of its row are in it. */
  private static String shaded(long count, long all, boolean right) {
    double share = all == 0 ? 0 : 0.6 * count / all;
    var colour = right ? "31,95,168" : "200,80,30";
    var style = formatted("background: rgba(%s,%.2f)", colour, share);
    return formatted("<td style=\"%s\">%d</td>", style, count);
  }

  private static String percent(long part, long all) {
    return formatted("%.2f %%", all == 0 ? 0.0 : 100.0 * part / all);
  }

  /** A picture that comes out of a file is an image: what is in an image is never executed. */
  private void plan() {
    var jobs = all(TrainEvent.Job.class);
    if (!jobs.isEmpty() && jobs.getLast().plan() != null) {
      section("Plan of an iteration");
      var bytes = jobs.getLast().plan().getBytes(StandardCharsets.UTF_8);
      page.append("<div class=\"pictures\"><img alt=\"the plan\" src=\"data:image/svg+xml;base64,")
          .append(Base64.getEncoder().encodeToString(bytes))
          .append("\"/></div>\n");
    }
  }

  private void data(TrainEvent.Data d) {
    section("Data");
    paragraph(
        "note",
        d.dropped() == 0
            ? formatted("%,d rows without nulls", d.rows())
            : formatted("%,d rows; %,d others were left out for nulls", d.rows(), d.dropped()));
    page.append("<div class=\"wide\"><table>\n");
    row("th", "parameter", "column", "least", "mean", "greatest", "NaNs");
    for (var c : d.columns()) {
      row(
          "td",
          c.parameter(),
          c.column(),
          Chart.shown(c.least()),
          Chart.shown(c.mean()),
          Chart.shown(c.greatest()),
          c.nans());
    }
    page.append("</table></div>\n");
  }

  private void texts() {
    var jobs = all(TrainEvent.Job.class);
    if (jobs.isEmpty()) {
      return;
    }
    section("Configuration");
    text(json(jobs.getLast().config()));
    section("Program");
    jobs.getLast()
        .program()
        .forEach(
            (name, text) -> {
              paragraph("note", Path.of(name).getFileName().toString());
              text(text);
            });
  }

  private static String json(Object value) {
    try {
      return INDENTED.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // It was read as JSON.
    }
  }

  private void text(String text) {
    page.append("<pre>").append(Svg.escaped(text)).append("</pre>\n");
  }
}
