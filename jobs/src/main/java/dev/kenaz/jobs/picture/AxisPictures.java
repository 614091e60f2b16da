package dev.kenaz.jobs.picture;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;
import java.util.Set;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Draws what a table says whose rows are combinations of settings: curves by an axis whose values
 * are numbers, and maps of two axes. Many small pictures are better than one with many lines.
 *
 * @param rows in the order of the table
 * @param settings for an axis, the settings that may tell a number for each of its values; the
 *     value itself may, too
 */
public record AxisPictures(List<Row> rows, Map<String, ? extends Collection<String>> settings) {
  /** A picture has no more curves: there are no more colours that one can tell apart. */
  private static final int CURVES = 6;

  /** No more pictures of a kind are drawn: who has so many rows looks at the table. */
  public static final int PICTURES = 24;

  /** From so many values on, an axis is worth a curve or a map. */
  private static final int VALUES = 3;

  /**
   * A row of the table.
   *
   * @param axes the text of the value on each axis
   * @param settings all settings
   * @param value what is drawn
   */
  public record Row(Map<String, String> axes, ObjectNode settings, double value) {
    private Map<String, String> without(Collection<String> left) {
      var rest = new LinkedHashMap<>(axes);
      rest.keySet().removeAll(left);
      return rest;
    }

    private OptionalDouble number(String name) {
      var setting = settings.path(name);
      if (setting.isNumber()) {
        return OptionalDouble.of(setting.asDouble());
      }
      try {
        var text = axes.get(name);
        return text == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(text));
      } catch (NumberFormatException _) {
        return OptionalDouble.empty();
      }
    }
  }

  /** Returns the values of an axis, in the order of the table. */
  private List<String> values(String axis) {
    return rows.stream().map(r -> r.axes().get(axis)).filter(v -> v != null).distinct().toList();
  }

  private Set<String> axes() {
    return rows.stream()
        .flatMap(r -> r.axes().keySet().stream())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * Returns the values of axes as a text, numbers with their axis; of axes with one value, nothing.
   */
  public String text(Map<String, String> axes) {
    return axes.entrySet().stream()
        .filter(a -> values(a.getKey()).size() > 1)
        .map(AxisPictures::shown)
        .collect(Collectors.joining(", "));
  }

  private static String shown(Map.Entry<String, String> axis) {
    boolean number = axis.getValue().matches("[-+]?[0-9][0-9.eE+-]*");
    return (number ? axis.getKey() + "=" : "") + axis.getValue();
  }

  /** Returns the axis whose values are the curves of a picture, if it isn't {@code x}. */
  private Optional<String> series(String x) {
    var others =
        axes().stream()
            .filter(a -> !a.equals(x))
            .filter(a -> values(a).size() > 1 && values(a).size() <= CURVES)
            .toList();
    return others.isEmpty() ? Optional.empty() : Optional.of(others.getLast());
  }

  /**
   * Divides rows among pictures with few curves.
   *
   * @param x the axis that the curves go along; empty if it is none
   * @return for each picture, the rows of each curve
   */
  private SequencedMap<Map<String, String>, SequencedMap<String, List<Row>>> panels(String x) {
    var series = series(x);
    var left = new ArrayList<>(List.of(x));
    series.ifPresent(left::add);
    var panels = new LinkedHashMap<Map<String, String>, SequencedMap<String, List<Row>>>();
    for (var r : rows) {
      panels
          .computeIfAbsent(r.without(left), _ -> new LinkedHashMap<>())
          .computeIfAbsent(series.map(r.axes()::get).orElse(""), _ -> new ArrayList<>())
          .add(r);
    }
    return panels;
  }

  /**
   * Draws a curve for each row.
   *
   * @param points those of a row
   */
  public List<String> curves(String below, Function<Row, List<double[]>> points) {
    var pictures = new ArrayList<String>();
    panels("")
        .forEach(
            (panel, curves) -> {
              var drawn = new ArrayList<Chart.Curve>();
              curves.forEach(
                  (name, rows) ->
                      rows.forEach(r -> drawn.add(new Chart.Curve(name, points.apply(r)))));
              pictures.add(Chart.curves(text(panel), below, drawn));
            });
    return pictures.stream().limit(PICTURES).toList();
  }

  // Scaling

  /** An axis whose values stand for numbers. */
  private record Numeric(String axis, String number, Map<String, Double> byValue) {}

  /**
   * Draws the values along each axis of numbers, by logarithms.
   *
   * @param unit what the values are
   */
  public List<String> scaling(String unit) {
    return numeric().stream().flatMap(n -> scaling(n, unit).stream()).limit(PICTURES).toList();
  }

  private List<Numeric> numeric() {
    var found = new ArrayList<Numeric>();
    for (var axis : axes()) {
      var labels = values(axis);
      if (labels.size() >= VALUES) {
        var names = new LinkedHashSet<>(List.of(axis));
        Optional.ofNullable(settings.get(axis)).ifPresent(names::addAll);
        names.stream()
            .map(name -> numeric(axis, name, labels))
            .flatMap(Optional::stream)
            .findFirst()
            .ifPresent(found::add);
      }
    }
    return found;
  }

  private Optional<Numeric> numeric(String axis, String name, List<String> labels) {
    var byValue = new LinkedHashMap<String, Double>();
    for (var r : rows) {
      r.number(name).ifPresent(x -> byValue.put(r.axes().get(axis), x));
    }
    boolean all = byValue.keySet().containsAll(labels);
    boolean different = new LinkedHashSet<>(byValue.values()).size() == labels.size();
    boolean positive = byValue.values().stream().allMatch(x -> x > 0);
    return all && different && positive
        ? Optional.of(new Numeric(axis, name, byValue))
        : Optional.empty();
  }

  private List<String> scaling(Numeric x, String unit) {
    var pictures = new ArrayList<String>();
    panels(x.axis())
        .forEach(
            (panel, curves) -> {
              var drawn =
                  curves.entrySet().stream()
                      .map(c -> new Chart.Curve(c.getKey(), points(x, c.getValue())));
              pictures.add(Chart.scaling(text(panel), x.number(), unit, drawn.toList()));
            });
    return pictures;
  }

  private static List<double[]> points(Numeric x, List<Row> rows) {
    return rows.stream()
        .map(r -> new double[] {x.byValue().get(r.axes().get(x.axis())), r.value()})
        .sorted(Comparator.comparingDouble(p -> p[0]))
        .toList();
  }

  // Maps

  /**
   * Draws a map for each pair of axes with several values.
   *
   * @param name what the values are
   * @param text how a value is written
   */
  public List<String> maps(String name, DoubleFunction<String> text) {
    var axes = axes().stream().filter(a -> values(a).size() >= VALUES).toList();
    var pictures = new ArrayList<String>();
    for (int i = 0; i < axes.size(); i++) {
      for (int j = i + 1; j < axes.size(); j++) {
        pictures.addAll(maps(axes.get(i), axes.get(j), name, text));
      }
    }
    return pictures.stream().limit(PICTURES).toList();
  }

  private List<String> maps(String down, String across, String name, DoubleFunction<String> text) {
    var panels = new LinkedHashMap<Map<String, String>, double[][]>();
    var rowNames = values(down);
    var columnNames = values(across);
    for (var r : rows) {
      var numbers =
          panels.computeIfAbsent(
              r.without(List.of(down, across)), _ -> empty(rowNames.size(), columnNames.size()));
      int row = rowNames.indexOf(r.axes().get(down));
      numbers[row][columnNames.indexOf(r.axes().get(across))] = r.value();
    }
    return panels.entrySet().stream()
        .map(
            p -> {
              var title = name + (text(p.getKey()).isEmpty() ? "" : ": " + text(p.getKey()));
              return HeatMap.of(title, down, across, rowNames, columnNames, p.getValue(), text);
            })
        .toList();
  }

  private static double[][] empty(int rows, int columns) {
    var numbers = new double[rows][columns];
    Arrays.stream(numbers).forEach(r -> Arrays.fill(r, Double.NaN));
    return numbers;
  }
}
