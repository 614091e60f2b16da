package dev.kenaz.jobs.picture;

import dev.kenaz.distribute.report.Svg;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Draws curves, points and bars as SVG. */
public final class Chart {
  private static final int WIDTH = 560;
  private static final int HEIGHT = 320;
  private static final int LEFT = 78;
  private static final int RIGHT = 26;
  private static final int TOP = 34;
  private static final int BOTTOM = 44;

  /** A curve with more points is made thinner: one that is so wide can't show more. */
  public static final int POINTS = 400;

  private static final List<String> COLOURS =
      List.of("#1f5fa8", "#c8501e", "#2c8a4b", "#8a3fa0", "#9a7b10", "#444444");

  /** Numbers that grow by more than this are drawn by their logarithms. */
  private static final double WIDE = 200;

  private Chart() {}

  /** What a chart shows by name: points, each with x and y, which needn't be finite. */
  public record Curve(String name, List<double[]> points) {
    private static boolean isFinite(double[] p) {
      return Double.isFinite(p[0]) && Double.isFinite(p[1]);
    }

    List<double[]> finite() {
      return points.stream().filter(Curve::isFinite).toList();
    }

    /** Returns the parts of the curve between points that aren't finite. */
    List<List<double[]>> parts() {
      var parts = new ArrayList<List<double[]>>();
      boolean open = false;
      for (var p : points) {
        if (isFinite(p) && !open) {
          parts.add(new ArrayList<>());
        }
        open = isFinite(p);
        if (open) {
          parts.getLast().add(p);
        }
      }
      return parts;
    }
  }

  /** From where to where numbers go, and how they are drawn. */
  private record Axis(double from, double to, boolean logarithmic, double start, double length) {
    /**
     * @param wide numbers that grow by more than this factor are drawn by their logarithms
     */
    static Axis of(List<Double> numbers, double wide, double start, double length) {
      double least = numbers.stream().mapToDouble(x -> x).min().orElseThrow();
      double most = numbers.stream().mapToDouble(x -> x).max().orElseThrow();
      if (least > 0 && most / least > wide) {
        return new Axis(Math.log10(least), Math.log10(most), true, start, length);
      }
      // Numbers so large that their differences can't be told are one number.
      double near = Math.max(Math.abs(least), Math.abs(most)) * 1e-12;
      boolean differ = most - least > near && Double.isFinite(most - least);
      double room = differ ? 0 : near + (least == 0 ? 0.5 : Math.abs(least) / 2);
      return new Axis(least - room, most + room, false, start, length);
    }

    double at(double x) {
      double number = logarithmic ? Math.log10(x) : x;
      return start + length * (number / (to - from) - from / (to - from));
    }

    /** Returns numbers to write at the axis. */
    List<Double> ticks() {
      if (logarithmic && to - from < 1.5) {
        return roundTicks();
      }
      double step = logarithmic ? Math.max(1, Math.ceil((to - from) / 6)) : nice((to - from) / 5);
      var ticks = new ArrayList<Double>();
      double first = Math.ceil(from / step - 1e-9);
      for (int i = 0; i < 12 && (first + i) * step <= to + 1e-9 * step; i++) {
        double x = (first + i) * step;
        ticks.add(logarithmic ? Math.pow(10, x) : x);
      }
      return ticks;
    }

    /** Returns the numbers of the form 1, 2 or 5 times a power of ten between both ends. */
    private List<Double> roundTicks() {
      var ticks = new ArrayList<Double>();
      for (int power = (int) Math.floor(from); power <= to; power++) {
        for (int digit : new int[] {1, 2, 5}) {
          double x = digit * Math.pow(10, power);
          if (Math.log10(x) >= from - 1e-9 && Math.log10(x) <= to + 1e-9) {
            ticks.add(x);
          }
        }
      }
      return ticks;
    }

    /** Returns the next number of the form 1, 2 or 5 times a power of ten. */
    private static double nice(double step) {
      double ten = Math.pow(10, Math.floor(Math.log10(step)));
      double part = step / ten;
      return ten * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
    }
  }

  /**
   * Draws curves.
   *
   * @param below what is counted, such as iterations
   */
  public static String curves(String title, String below, List<Curve> curves) {
    return drawn(Kind.CURVES, title, below, "", thinned(curves));
  }

  /**
   * Draws how something grows with something else, both by their logarithms: a straight line is a
   * power.
   */
  public static String scaling(String title, String x, String y, List<Curve> curves) {
    return drawn(Kind.SCALING, title, x, y, curves);
  }

  /** Draws points, and the line on which both numbers are the same. */
  public static String points(String title, String x, String y, List<double[]> points) {
    return drawn(Kind.POINTS, title, x, y, List.of(new Curve("", points)));
  }

  /** What a chart of curves or points looks like. */
  private enum Kind {
    CURVES(Double.POSITIVE_INFINITY, WIDE),
    POINTS(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY),
    SCALING(1, 1);

    /** From which factor on an axis is logarithmic. */
    private final double wideX;

    private final double wideY;

    Kind(double wideX, double wideY) {
      this.wideX = wideX;
      this.wideY = wideY;
    }
  }

  private static String drawn(
      Kind kind, String title, String below, String aside, List<Curve> all) {
    boolean lines = kind != Kind.POINTS;
    boolean diagonal = kind == Kind.POINTS;
    var curves = all.stream().filter(c -> !c.finite().isEmpty()).toList();
    var svg = new Svg();
    svg.text(LEFT, 20, shortened(title, 60), " font-weight=\"bold\"");
    if (curves.isEmpty()) {
      svg.text(LEFT, HEIGHT / 2.0, "no number is finite", "");
      return picture(svg, HEIGHT);
    }
    // A place whose number isn't finite belongs to the axis, where the curve then has a gap.
    var xs = numbers(curves.stream().flatMap(c -> (lines ? c.points() : c.finite()).stream()), 0);
    var ys = numbers(curves.stream().flatMap(c -> c.finite().stream()), 1);
    if (diagonal) {
      xs = Stream.concat(xs.stream(), ys.stream()).toList();
      ys = xs;
    }
    var x = Axis.of(xs, kind.wideX, LEFT, WIDTH - LEFT - RIGHT);
    var y = Axis.of(ys, kind.wideY, HEIGHT - BOTTOM, -(HEIGHT - TOP - BOTTOM));
    axes(svg, x, y, below, aside);
    if (diagonal) {
      var ends = List.of(at(x, y, x.from(), x.from()), at(x, y, x.to(), x.to()));
      svg.line(ends, " stroke=\"#999\" stroke-dasharray=\"5 4\"");
    }
    for (int i = 0; i < curves.size(); i++) {
      curve(svg, curves.get(i), x, y, COLOURS.get(i % COLOURS.size()), lines);
    }
    names(svg, curves, kind == Kind.SCALING);
    return picture(svg, HEIGHT);
  }

  private static List<Double> numbers(Stream<double[]> points, int which) {
    return points.map(p -> p[which]).toList();
  }

  private static String shortened(String text, int most) {
    return text.length() > most ? text.substring(0, most - 1) + "…" : text;
  }

  private static double[] at(Axis x, Axis y, double px, double py) {
    return new double[] {x.at(px), y.at(py)};
  }

  private static void curve(Svg svg, Curve c, Axis x, Axis y, String colour, boolean lines) {
    var places = c.finite().stream().map(p -> at(x, y, p[0], p[1])).toList();
    for (var part : lines ? c.parts() : List.<List<double[]>>of()) {
      var line = part.stream().map(p -> at(x, y, p[0], p[1])).toList();
      svg.line(line, " fill=\"none\" stroke-width=\"1.6\" stroke=\"" + colour + "\"");
    }
    if (!lines || places.size() <= 60) {
      double radius = lines ? 2.4 : 1.8;
      var look = " fill=\"" + colour + "\"" + (lines ? "" : " fill-opacity=\"0.5\"");
      places.forEach(p -> svg.circle(p[0], p[1], radius, look));
    }
  }

  private static void axes(Svg svg, Axis x, Axis y, String below, String aside) {
    double bottom = HEIGHT - BOTTOM;
    for (var tick : y.ticks()) {
      double at = y.at(tick);
      svg.line(
          List.of(new double[] {LEFT, at}, new double[] {WIDTH - RIGHT, at}),
          " stroke=\"#dddddd\"");
      svg.text(LEFT - 6, at + 4, shown(tick), " text-anchor=\"end\"");
    }
    for (var tick : x.ticks()) {
      svg.text(x.at(tick), bottom + 16, shown(tick), " text-anchor=\"middle\"");
    }
    svg.rect(LEFT, TOP, WIDTH - LEFT - RIGHT, bottom - TOP, "none", " stroke=\"#888\"");
    svg.text((LEFT + WIDTH) / 2.0, HEIGHT - 8, below, " text-anchor=\"middle\"");
    var turned = " text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\"".formatted(HEIGHT / 2);
    svg.text(14, HEIGHT / 2.0, aside, turned);
  }

  /**
   * The names are in the upper right corner, where curves that fall are not, or in the upper left
   * one.
   */
  private static void names(Svg svg, List<Curve> curves, boolean left) {
    for (int i = 0; i < curves.size() && curves.size() > 1; i++) {
      var colour = " fill=\"" + COLOURS.get(i % COLOURS.size()) + "\"";
      svg.text(
          left ? LEFT + 8 : WIDTH - RIGHT - 8,
          TOP + 16 + 15 * i,
          shortened(curves.get(i).name(), 40),
          (left ? "" : " text-anchor=\"end\"") + colour);
    }
  }

  /** Draws parts of a whole as one bar. */
  public static String bar(String title, Map<String, Double> parts, String unit) {
    double all = parts.values().stream().mapToDouble(p -> p).sum();
    var svg = new Svg();
    svg.text(LEFT, 20, title, " font-weight=\"bold\"");
    double at = LEFT;
    int i = 0;
    for (var part : parts.entrySet()) {
      double wide = all > 0 ? (WIDTH - LEFT - RIGHT) * part.getValue() / all : 0;
      var colour = COLOURS.get(i % COLOURS.size());
      svg.rect(at, TOP, wide, 34, colour, "");
      svg.rect(LEFT, TOP + 48 + 20 * i, 12, 12, colour, "");
      var share = all > 0 ? 100 * part.getValue() / all : 0;
      var text =
          String.format(
              Locale.ROOT, "%s  %.3g %s, %.1f %%", part.getKey(), part.getValue(), unit, share);
      svg.text(LEFT + 20, TOP + 59 + 20 * i, text, "");
      at += wide;
      i++;
    }
    return picture(svg, TOP + 60 + 20 * i);
  }

  /** Leaves the least and the greatest of neighbours, so that no peak is lost. */
  private static List<Curve> thinned(List<Curve> curves) {
    return curves.stream().map(c -> new Curve(c.name(), thinned(c.points(), POINTS))).toList();
  }

  private static List<double[]> thinned(List<double[]> points, int most) {
    if (points.size() <= most) {
      return points;
    }
    var thin = new ArrayList<double[]>();
    int buckets = most / 2 - 1;
    thin.add(points.getFirst());
    for (int b = 0; b < buckets; b++) {
      int from = (int) ((long) points.size() * b / buckets);
      int to = (int) ((long) points.size() * (b + 1) / buckets);
      int low = from;
      int high = from;
      for (int i = from; i < to; i++) {
        // NaN is the greatest here, so that the gap stays in the curve.
        low = Double.compare(points.get(i)[1], points.get(low)[1]) < 0 ? i : low;
        high = Double.compare(points.get(i)[1], points.get(high)[1]) > 0 ? i : high;
      }
      thin.add(points.get(Math.min(low, high)));
      thin.add(points.get(Math.max(low, high)));
    }
    thin.add(points.getLast());
    return thin;
  }

  /**
   * Returns a number of a model with six digits, which tell good models from each other; an integer
   * has all of its digits.
   */
  public static String worth(Number x) {
    return x instanceof Double y ? worth(y.doubleValue()) : x.toString();
  }

  /** Returns a number of a model with six digits. */
  public static String worth(double x) {
    if (x == Math.rint(x) && Math.abs(x) < 1e5) {
      return Long.toString((long) x);
    }
    var text = String.format(Locale.ROOT, "%.6g", x);
    return text.replaceAll("(\\.\\d*?)0+(?=e|$)", "$1").replaceAll("\\.(?=e|$)", "");
  }

  public static String shown(double x) {
    if (x == Math.rint(x) && Math.abs(x) < 1e5) {
      return Long.toString((long) x);
    }
    if (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5) {
      var text = String.format(Locale.ROOT, "%.4f", x);
      return text.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
    return String.format(Locale.ROOT, "%.3e", x).replaceAll("\\.?0+e", "e");
  }

  private static String picture(Svg svg, int height) {
    return svg.picture(WIDTH, height, " font-family=\"sans-serif\" font-size=\"12\"");
  }
}
