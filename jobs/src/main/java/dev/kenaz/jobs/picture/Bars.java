package dev.kenaz.jobs.picture;

import dev.kenaz.distribute.report.Svg;
import java.util.List;
import java.util.Locale;

/** Draws numbers as horizontal bars, one below the other. */
public final class Bars {
  private static final int WIDTH = 760;
  private static final int LEFT = 330;
  private static final int RIGHT = 90;
  private static final int TOP = 40;
  private static final int STEP = 22;

  private Bars() {}

  /**
   * A bar.
   *
   * @param mark a number to compare with, which is drawn as a line across the bar; NaN for none
   */
  public record Bar(String name, double value, double mark) {}

  /**
   * Draws bars.
   *
   * @param marks what the marks are; empty if there are none
   */
  public static String of(String title, List<Bar> bars, String marks) {
    double most =
        bars.stream()
            .mapToDouble(b -> Math.max(b.value(), Double.isNaN(b.mark()) ? 0 : b.mark()))
            .max()
            .orElse(1);
    var svg = new Svg();
    svg.text(10, 20, title, " font-weight=\"bold\"");
    double scale = (WIDTH - LEFT - RIGHT) / most;
    for (int i = 0; i < bars.size(); i++) {
      var b = bars.get(i);
      double y = TOP + STEP * i;
      var name = b.name().length() > 48 ? b.name().substring(0, 47) + "…" : b.name();
      svg.text(LEFT - 8, y + 13, name, " text-anchor=\"end\"");
      svg.rect(LEFT, y + 2, b.value() * scale, STEP - 7, "#1f5fa8", "");
      svg.text(LEFT + b.value() * scale + 6, y + 13, number(b.value()), "");
      if (!Double.isNaN(b.mark())) {
        double x = LEFT + b.mark() * scale;
        svg.line(
            List.of(new double[] {x, y - 1}, new double[] {x, y + STEP - 3}),
            " stroke=\"#c8501e\" stroke-width=\"3\"");
      }
    }
    int height = TOP + STEP * bars.size() + (marks.isEmpty() ? 6 : 26);
    if (!marks.isEmpty()) {
      svg.rect(LEFT, height - 16, 12, 4, "#c8501e", "");
      svg.text(LEFT + 18, height - 9, marks, "");
    }
    return svg.picture(WIDTH, height, " font-family=\"sans-serif\" font-size=\"12\"");
  }

  private static String number(double x) {
    return String.format(Locale.ROOT, x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : "%.2f", x);
  }
}
