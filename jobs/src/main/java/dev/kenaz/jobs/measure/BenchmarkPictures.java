package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.picture.AxisPictures;
import dev.kenaz.jobs.picture.Bars;
import dev.kenaz.jobs.picture.Chart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Draws what a table of times says: bars of ratios, curves of scaling, and maps of two axes. */
record BenchmarkPictures(BenchmarkConfig config, List<Measurement> rows) {
  private static final int BARS = 30;

  /** A picture of a roofline has no more points. */
  private static final int POINTS = 4;

  private static final int LINE = 100;

  private List<Measurement> done() {
    return rows.stream().filter(Measurement::isDone).toList();
  }

  private AxisPictures times() {
    var settings = new LinkedHashMap<String, Set<String>>();
    config.axes().forEach((axis, values) -> settings.put(axis, numbers(values)));
    return new AxisPictures(
        done().stream()
            .map(m -> new AxisPictures.Row(m.axes(), m.settings(), m.seconds()))
            .toList(),
        settings);
  }

  /** Returns the settings of an axis that are numbers. */
  private static Set<String> numbers(List<JsonNode> values) {
    var names = new LinkedHashSet<String>();
    for (var value : values) {
      value.properties().stream()
          .filter(p -> p.getValue().isNumber())
          .forEach(p -> names.add(p.getKey()));
    }
    return names;
  }

  List<String> scaling() {
    return times().scaling("seconds");
  }

  List<String> maps() {
    return times().maps("time", Units::seconds);
  }

  /**
   * Draws what the processor can do, as lines, and what cells reach of it, as points: a few in each
   * picture, so that each has a colour of its own.
   */
  List<String> rooflines(List<Ceilings> ceilings) {
    var pictures = new ArrayList<String>();
    for (var c : ceilings) {
      var cells =
          done().stream()
              .filter(m -> m.work() != null && m.work().isWhole())
              .filter(m -> m.settings().path("cores").asInt(1) == c.cores())
              .toList();
      for (int i = 0; i < cells.size(); i += POINTS) {
        pictures.add(roofline(c, cells.subList(i, Math.min(i + POINTS, cells.size()))));
      }
    }
    return pictures.stream().limit(AxisPictures.PICTURES).toList();
  }

  private String roofline(Ceilings c, List<Measurement> cells) {
    var intensities = cells.stream().map(m -> m.work().intensity()).toList();
    double least = Math.min(intensities.stream().min(Double::compare).orElseThrow(), 0.1);
    double most = Math.max(intensities.stream().max(Double::compare).orElseThrow(), 100);
    var curves = new ArrayList<Chart.Curve>();
    curves.add(new Chart.Curve("most of f64", line(c.f64(), c.bytes(), least, most)));
    curves.add(new Chart.Curve("most of f32", line(c.f32(), c.bytes(), least, most)));
    var times = times();
    for (var m : cells) {
      double[] point = {m.work().intensity(), m.work().operations() / m.seconds() / 1e9};
      curves.add(new Chart.Curve(times.text(m.axes()), List.of(point)));
    }
    var title = c.cores() == 1 ? "one core" : c.cores() + " cores";
    return Chart.scaling(title, "operations for each byte", "10⁹ operations a second", curves);
  }

  /** Returns so many points of a roof that they are drawn as a line alone. */
  private static List<double[]> line(double peak, double bytes, double least, double most) {
    var points = new ArrayList<double[]>();
    for (int i = 0; i <= LINE; i++) {
      double x = least * Math.pow(most / least, (double) i / LINE);
      points.add(new double[] {x, Math.min(peak, bytes * x) / 1e9});
    }
    return points;
  }

  List<String> ratios() {
    var ratios = new Ratios(config.ratios().orElseGet(LinkedHashMap::new));
    var times = times();
    var pictures = new ArrayList<String>();
    for (var name : ratios.wanted().keySet()) {
      var bars = new ArrayList<Bars.Bar>();
      for (var m : done()) {
        var x = ratios.of(m, rows).get(name);
        if (x != null) {
          var paper = Papers.ratio(config, m, name).orElse(Double.NaN);
          bars.add(new Bars.Bar(times.text(m.axes()), x, paper));
        }
      }
      for (int i = 0; i < bars.size(); i += BARS) {
        var part = bars.subList(i, Math.min(i + BARS, bars.size()));
        boolean marked = part.stream().anyMatch(b -> !Double.isNaN(b.mark()));
        pictures.add(Bars.of(name, part, marked ? Papers.places(config, name) : ""));
      }
    }
    return pictures.stream().limit(AxisPictures.PICTURES).toList();
  }
}
