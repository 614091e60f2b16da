package dev.kenaz.distribute.report;

import java.util.Locale;

/** Writes a picture as SVG, which is well-formed whatever the texts in it are. */
public final class Svg {
  private final StringBuilder body = new StringBuilder();

  /** Returns a text in which nothing is markup, and no character is one that XML has not. */
  public static String escaped(String text) {
    return text.replaceAll("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]", "\ufffd")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /**
   * @param more further attributes, each after a blank
   */
  public Svg rect(double x, double y, double width, double height, String fill, String more) {
    return add(
        "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"%s/>",
        number(x), number(y), number(width), number(height), fill, more);
  }

  public Svg text(double x, double base, String text, String more) {
    return add("<text x=\"%s\" y=\"%s\"%s>%s</text>", number(x), number(base), more, escaped(text));
  }

  public Svg circle(double x, double y, double radius, String more) {
    return add(
        "<circle cx=\"%s\" cy=\"%s\" r=\"%s\"%s/>", number(x), number(y), number(radius), more);
  }

  /**
   * @param points x and y of each
   */
  public Svg line(Iterable<double[]> points, String more) {
    var path = new StringBuilder();
    points.forEach(
        p ->
            path.append(path.isEmpty() ? "M" : " L")
                .append(number(p[0]))
                .append(',')
                .append(number(p[1])));
    return add("<path d=\"%s\"%s/>", path, more);
  }

  private Svg add(String format, Object... parts) {
    body.append(String.format(Locale.ROOT, format, parts)).append('\n');
    return this;
  }

  private static String number(double x) {
    return x == Math.rint(x) ? Long.toString((long) x) : String.format(Locale.ROOT, "%.2f", x);
  }

  /**
   * @param more further attributes, each after a blank
   */
  public String picture(int width, int height, String more) {
    return """
    <svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="%d" height="%d" \
    viewBox="0 0 %d %d"%s>
    <rect width="100%%" height="100%%" fill="white"/>
    %s</svg>
    """
        .formatted(width, height, width, height, more, body);
  }
}
