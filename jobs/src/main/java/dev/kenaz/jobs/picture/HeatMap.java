package dev.kenaz.jobs.picture;

import dev.kenaz.distribute.report.Svg;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/** Draws a table of numbers whose cells are the darker, the greater the number is. */
public final class HeatMap {
  private static final int LEFT = 150;
  private static final int TOP = 64;
  private static final int WIDE = 84;
  private static final int HIGH = 28;

  private HeatMap() {}

  /**
   * Draws a map.
   *
   * @param rows the names of the rows, of which all belong to the axis {@code down}
   * @param columns the names of the columns, of which all belong to the axis {@code across}
   * @param numbers positive numbers by row and column; NaN where there is none
   * @param text how a number is written
   */
  public static String of(
      String title,
      String down,
      String across,
      List<String> rows,
      List<String> columns,
      double[][] numbers,
      DoubleFunction<String> text) {
    var all =
        Arrays.stream(numbers)
            .flatMapToDouble(Arrays::stream)
            .filter(x -> x > 0)
            .sorted()
            .toArray();
    var svg = new Svg();
    svg.text(10, 20, title, " font-weight=\"bold\"");
    svg.text(10, TOP - 8, down, " font-style=\"italic\"");
    svg.text(LEFT, TOP - 26, across, " font-style=\"italic\"");
    for (int j = 0; j < columns.size(); j++) {
      svg.text(LEFT + WIDE * (j + 0.5), TOP - 8, shortened(columns.get(j)), MIDDLE);
    }
    for (int i = 0; i < rows.size(); i++) {
      double y = TOP + (double) HIGH * i;
      svg.text(10, y + 18, shortened(rows.get(i)), "");
      for (int j = 0; j < columns.size(); j++) {
        cell(svg, LEFT + (double) WIDE * j, y, numbers[i][j], all, text);
      }
    }
    return svg.picture(
        LEFT + WIDE * columns.size() + 20,
        TOP + HIGH * rows.size() + 12,
        " font-family=\"sans-serif\" font-size=\"12\"");
  }

  private static final String MIDDLE = " text-anchor=\"middle\"";

  private static String shortened(String name) {
    return name.length() > 20 ? name.substring(0, 19) + "…" : name;
  }

  private static void cell(
      Svg svg, double x, double y, double number, double[] sorted, DoubleFunction<String> text) {
    if (!(number > 0)) {
      svg.text(x + WIDE / 2.0, y + 18, "–", MIDDLE);
      return;
    }
    double range = Math.log(sorted[sorted.length - 1] / sorted[0]);
    double part = range > 0 ? Math.log(number / sorted[0]) / range : 0;
    var colour =
        String.format(
            Locale.ROOT,
            "rgb(%d,%d,%d)",
            (int) (245 - 214 * part),
            (int) (248 - 153 * part),
            (int) (252 - 84 * part));
    svg.rect(x + 1, y + 1, WIDE - 2, HIGH - 2, colour, "");
    var ink = part > 0.55 ? " fill=\"white\"" : "";
    svg.text(x + WIDE / 2.0, y + 18, text.apply(number), MIDDLE + ink);
  }
}
