package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.picture.AxisPictures;
import dev.kenaz.jobs.picture.Bars;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Draws what a table of times says: bars of ratios, curves of scaling, and maps of two axes. */
record BenchmarkPictures(BenchmarkConfig config, List<Measurement> rows) {
  private static final int BARS = 30;

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
