package dev.kenaz.jobs.measure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.kenaz.jobs.config.BenchmarkConfig;
import dev.kenaz.jobs.picture.Bars;
import dev.kenaz.jobs.picture.Chart;
import dev.kenaz.jobs.picture.HeatMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Draws what a table of times says: bars of ratios, curves of scaling, and maps of two axes. Many
 * small pictures are better than one with many lines.
 */
record BenchmarkPictures(BenchmarkConfig config, List<Measurement> rows) {
  /** A picture has no more curves: there are no more colours that one can tell apart. */
  private static final int CURVES = 6;

  private static final int BARS = 30;

  /** No more pictures of a kind are drawn: who has so many cells looks at the table. */
  private static final int PICTURES = 24;

  /** From so many values on, an axis is worth a curve or a map. */
  private static final int VALUES = 3;

  private List<Measurement> done() {
    return rows.stream().filter(Measurement::isDone).toList();
  }

  /** Returns the values of an axis, in the order of the configuration. */
  private List<String> values(String axis) {
    return done().stream().map(m -> m.axes().get(axis)).filter(v -> v != null).distinct().toList();
  }

  private static Map<String, String> without(Measurement m, String... axes) {
    var rest = new LinkedHashMap<>(m.axes());
    rest.keySet().removeAll(Arrays.asList(axes));
    return rest;
  }

  /** Returns the values of axes as a text; of axes with one value, nothing. */
  private String text(Map<String, String> axes) {
    return axes.entrySet().stream()
        .filter(a -> values(a.getKey()).size() > 1)
        .map(Map.Entry::getValue)
        .collect(Collectors.joining(", "));
  }

  // Ratios

  List<String> ratios() {
    var ratios = new Ratios(config.ratios().orElseGet(LinkedHashMap::new));
    var pictures = new ArrayList<String>();
    for (var name : ratios.wanted().keySet()) {
      var bars = new ArrayList<Bars.Bar>();
      for (var m : done()) {
        var x = ratios.of(m, rows).get(name);
        if (x != null) {
          var paper = Papers.ratio(config, m, name).orElse(Double.NaN);
          bars.add(new Bars.Bar(text(m.axes()), x, paper));
        }
      }
      for (int i = 0; i < bars.size(); i += BARS) {
        var part = bars.subList(i, Math.min(i + BARS, bars.size()));
        boolean marked = part.stream().anyMatch(b -> !Double.isNaN(b.mark()));
        pictures.add(Bars.of(name, part, marked ? Papers.places(config, name) : ""));
      }
    }
    return pictures.stream().limit(PICTURES).toList();
  }

  // Scaling

  /** An axis whose values stand for numbers. */
  private record Numeric(String axis, String number, Map<String, Double> byValue) {}

  List<String> scaling() {
    return numeric().stream().flatMap(n -> scaling(n).stream()).limit(PICTURES).toList();
  }

  private List<Numeric> numeric() {
    var found = new ArrayList<Numeric>();
    for (var axis : axes()) {
      var labels = values(axis);
      if (labels.size() >= VALUES) {
        candidates(axis).stream()
            .map(name -> numeric(axis, name, labels))
            .flatMap(Optional::stream)
            .findFirst()
            .ifPresent(found::add);
      }
    }
    return found;
  }

  private Set<String> axes() {
    return done().stream()
        .flatMap(m -> m.axes().keySet().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the settings that may tell a number for each value of an axis. */
  private List<String> candidates(String axis) {
    var names = new ArrayList<>(List.of(axis));
    for (var value : config.axes().getOrDefault(axis, List.of())) {
      if (value instanceof ObjectNode o) {
        o.properties().stream()
            .filter(p -> p.getValue().isNumber())
            .forEach(p -> names.add(p.getKey()));
      }
    }
    return names.stream().distinct().toList();
  }

  private Optional<Numeric> numeric(String axis, String name, List<String> labels) {
    var byValue = new LinkedHashMap<String, Double>();
    for (var m : done()) {
      number(m, name).ifPresent(x -> byValue.put(m.axes().get(axis), x));
    }
    boolean all = byValue.keySet().containsAll(labels);
    boolean different = new LinkedHashSet<>(byValue.values()).size() == labels.size();
    boolean positive = byValue.values().stream().allMatch(x -> x > 0);
    return all && different && positive
        ? Optional.of(new Numeric(axis, name, byValue))
        : Optional.empty();
  }

  private static OptionalDouble number(Measurement m, String name) {
    var setting = m.settings().path(name);
    if (setting.isNumber()) {
      return OptionalDouble.of(setting.asDouble());
    }
    try {
      var text = m.axes().get(name);
      return text == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(text));
    } catch (NumberFormatException _) {
      return OptionalDouble.empty();
    }
  }

  private List<String> scaling(Numeric x) {
    var series = series(x.axis());
    var panels = new LinkedHashMap<Map<String, String>, SequencedMap<String, List<double[]>>>();
    for (var m : done()) {
      var panel = series.map(s -> without(m, x.axis(), s)).orElseGet(() -> without(m, x.axis()));
      var name = series.map(s -> m.axes().get(s)).orElse("");
      var at = new double[] {x.byValue().get(m.axes().get(x.axis())), m.seconds()};
      panels
          .computeIfAbsent(panel, _ -> new LinkedHashMap<>())
          .computeIfAbsent(name, _ -> new ArrayList<>())
          .add(at);
    }
    var pictures = new ArrayList<String>();
    panels.forEach(
        (panel, curves) -> {
          var drawn =
              curves.entrySet().stream()
                  .map(c -> new Chart.Curve(c.getKey(), sorted(c.getValue())));
          pictures.add(Chart.scaling(text(panel), x.number(), "seconds", drawn.toList()));
        });
    return pictures;
  }

  private static List<double[]> sorted(List<double[]> points) {
    return points.stream().sorted(Comparator.comparingDouble(p -> p[0])).toList();
  }

  /** Returns the axis whose values are the curves of a picture. */
  private Optional<String> series(String x) {
    var others =
        axes().stream()
            .filter(a -> !a.equals(x))
            .filter(a -> values(a).size() > 1 && values(a).size() <= CURVES)
            .toList();
    return others.isEmpty() ? Optional.empty() : Optional.of(others.getLast());
  }

  // Maps

  List<String> maps() {
    var axes = axes().stream().filter(a -> values(a).size() >= VALUES).toList();
    var pictures = new ArrayList<String>();
    for (int i = 0; i < axes.size(); i++) {
      for (int j = i + 1; j < axes.size(); j++) {
        pictures.addAll(maps(axes.get(i), axes.get(j)));
      }
    }
    return pictures.stream().limit(PICTURES).toList();
  }

  private List<String> maps(String down, String across) {
    var panels = new LinkedHashMap<Map<String, String>, double[][]>();
    var rowNames = values(down);
    var columnNames = values(across);
    for (var m : done()) {
      var numbers =
          panels.computeIfAbsent(
              without(m, down, across), _ -> empty(rowNames.size(), columnNames.size()));
      numbers[rowNames.indexOf(m.axes().get(down))][columnNames.indexOf(m.axes().get(across))] =
          m.seconds();
    }
    return panels.entrySet().stream()
        .map(
            p ->
                HeatMap.of(
                    "time" + (text(p.getKey()).isEmpty() ? "" : ": " + text(p.getKey())),
                    down,
                    across,
                    rowNames,
                    columnNames,
                    p.getValue(),
                    Units::seconds))
        .toList();
  }

  private static double[][] empty(int rows, int columns) {
    var numbers = new double[rows][columns];
    Arrays.stream(numbers).forEach(r -> Arrays.fill(r, Double.NaN));
    return numbers;
  }
}
