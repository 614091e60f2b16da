package dev.kenaz.distribute.report;

import dev.kenaz.distribute.report.PlanSummary.Part;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws a plan as SVG: the driver's work on the left, the work on the pieces on the right, and
 * between them arrows for what is sent and what comes back. Time runs downwards.
 */
final class PlanPicture {
  private static final int LINE = 18;
  private static final int LETTER = 8;
  private static final int GAP = 26;
  private static final int MARGIN = 24;

  private final Svg body = new Svg();
  private int driver;
  private int between;
  private int stages;
  private int y = MARGIN;

  String draw(PlanSummary plan) {
    driver = width(plan.parts(), true);
    between = arrows(plan.parts());
    stages = width(plan.parts(), false);
    title(plan);
    parts(plan.parts(), 0);
    var results = new ArrayList<String>();
    results.add("results");
    plan.results()
        .forEach(m -> results.add((m.title() + "  " + m.bytes() + "  " + m.how()).strip()));
    driver = Math.max(driver, letters(results));
    box(MARGIN, y, driver, results, "#f2e8cf");
    y += height(results) + MARGIN;
    int right = MARGIN + driver + between + stages + 2 * MARGIN;
    return body.picture(right, y, " font-family=\"monospace\" font-size=\"13\"");
  }

  private void title(PlanSummary plan) {
    for (var line : PlanText.title(plan)) {
      text(MARGIN, y, line, "bold");
      y += LINE;
    }
    for (var c : plan.columns()) {
      text(MARGIN, y, c.title() + "  " + c.bytes(), "normal");
      y += LINE;
    }
    y += GAP / 2;
  }

  private void parts(List<Part> parts, int depth) {
    for (var part : parts) {
      switch (part) {
        case PlanSummary.Driver d -> {
          var lines = lines(d);
          box(MARGIN, y, driver, lines, "#f2e8cf");
          y += height(lines) + GAP;
        }
        case PlanSummary.Stage s -> stage(s);
        case PlanSummary.Exchange e -> {
          var lines = lines(e);
          box(MARGIN + driver + between, y, stages, lines, "#d6e2f0");
          y += height(lines) + GAP;
        }
        case PlanSummary.Choice c -> {
          framed(c.header(), c.then(), depth);
          framed("else", c.otherwise(), depth);
        }
        case PlanSummary.Repeat r -> framed(r.header(), r.parts(), depth);
      }
    }
  }

  private void framed(String header, List<Part> parts, int depth) {
    int top = y;
    y += LINE + GAP / 2;
    parts(parts, depth + 1);
    frame(top, y - GAP / 2, depth, header);
    y += GAP / 2;
  }

  private void stage(PlanSummary.Stage s) {
    int left = MARGIN + driver;
    int x = left + between;
    var lines = lines(s);
    int rows = Math.max(1, s.sent().size()) + Math.max(1, back(s).size()) + 1;
    int high = Math.max(height(lines), rows * LINE + 8);
    for (int shift = 8; shift >= 0; shift -= 4) {
      rect(x + shift, y + shift, stages, high, "#d8e8dc", "");
    }
    for (int i = 0; i < lines.size(); i++) {
      text(x + 10, y + LINE * (i + 1), lines.get(i), i == 0 ? "bold" : "normal");
    }
    int at = y;
    for (var m : s.sent()) {
      text(left + 14, at + LINE - 4, m.title() + "  " + m.bytes(), "normal");
      at += LINE;
    }
    if (!s.sent().isEmpty()) {
      arrow(left + 6, x - 4, at + 2);
      at += LINE / 2;
    }
    for (var line : back(s)) {
      text(left + 14, at + LINE, line, "normal");
      at += LINE;
    }
    if (!back(s).isEmpty()) {
      arrow(x - 4, left + 6, at + 6);
    }
    y += high + GAP;
  }

  /** What comes back from the pieces. */
  private static List<String> back(PlanSummary.Stage s) {
    var lines = new ArrayList<String>();
    s.combined().forEach(m -> lines.add(m.title() + "  " + m.bytes() + "  by " + m.how()));
    s.gathered().forEach(m -> lines.add(m.title() + "  " + m.bytes() + "  of all pieces"));
    return lines;
  }

  private static List<String> lines(PlanSummary.Driver d) {
    var lines = new ArrayList<String>();
    lines.add("driver");
    lines.addAll(d.computes());
    return lines;
  }

  private static List<String> lines(PlanSummary.Stage s) {
    var lines = new ArrayList<String>();
    lines.add("stage " + s.number() + ", on every piece");
    s.reads().forEach(m -> lines.add("reads " + m.title()));
    s.kept().forEach(m -> lines.add("keeps " + m.title()));
    takes(lines, s.takes());
    return lines;
  }

  private static List<String> lines(PlanSummary.Exchange e) {
    var lines = new ArrayList<String>();
    lines.add("pieces " + e.how());
    e.rows().forEach(m -> lines.add(m.title() + "  " + m.bytes()));
    takes(lines, e.takes());
    return lines;
  }

  private static void takes(List<String> lines, Seconds takes) {
    if (takes.isKnown()) {
      lines.add("about " + Seconds.text(takes.total()));
    }
  }

  private static int width(List<Part> parts, boolean ofDriver) {
    int wide = 80;
    for (var part : parts) {
      wide =
          Math.max(
              wide,
              switch (part) {
                case PlanSummary.Driver d -> ofDriver ? letters(lines(d)) : 0;
                case PlanSummary.Stage s -> ofDriver ? 0 : letters(lines(s));
                case PlanSummary.Exchange e -> ofDriver ? 0 : letters(lines(e));
                case PlanSummary.Choice c ->
                    Math.max(width(c.then(), ofDriver), width(c.otherwise(), ofDriver));
                case PlanSummary.Repeat r -> width(r.parts(), ofDriver);
              });
    }
    return wide;
  }

  /** How wide what stands beside the arrows is. */
  private static int arrows(List<Part> parts) {
    int wide = 120;
    for (var part : parts) {
      switch (part) {
        case PlanSummary.Driver _, PlanSummary.Exchange _ -> {}
        case PlanSummary.Choice c ->
            wide = Math.max(wide, Math.max(arrows(c.then()), arrows(c.otherwise())));
        case PlanSummary.Stage s -> {
          var lines = new ArrayList<String>();
          s.sent().forEach(m -> lines.add(m.title() + "  " + m.bytes()));
          lines.addAll(back(s));
          wide = Math.max(wide, letters(lines) + 20);
        }
        case PlanSummary.Repeat r -> wide = Math.max(wide, arrows(r.parts()));
      }
    }
    return wide;
  }

  private static int letters(List<String> lines) {
    return lines.stream().mapToInt(String::length).max().orElse(0) * LETTER + 20;
  }

  private static int height(List<String> lines) {
    return lines.size() * LINE + 10;
  }

  private void box(int x, int top, int width, List<String> lines, String fill) {
    rect(x, top, width, height(lines), fill, "");
    for (int i = 0; i < lines.size(); i++) {
      text(x + 10, top + LINE * (i + 1), lines.get(i), i == 0 ? "bold" : "normal");
    }
  }

  private void frame(int top, int bottom, int depth, String header) {
    int x = MARGIN / 2 - 4 * depth;
    int width = driver + between + stages + 2 * MARGIN + 8 * depth;
    rect(x, top, width, bottom - top, "none", " stroke-dasharray=\"6 4\"");
    text(x + 10, top + LINE - 2, header, "bold");
  }

  private void rect(int x, int top, int width, int height, String fill, String more) {
    body.rect(x, top, width, height, fill, " rx=\"4\" stroke=\"#444\"" + more);
  }

  private void text(int x, int base, String text, String weight) {
    body.text(x, base, text, " font-weight=\"" + weight + "\"");
  }

  private void arrow(int from, int to, int at) {
    int back = to > from ? -7 : 7;
    var tip =
        List.of(
            new double[] {to + back, at - 4},
            new double[] {to, at},
            new double[] {to + back, at + 4});
    body.line(List.of(new double[] {from, at}, new double[] {to, at}), " stroke=\"black\"");
    body.line(tip, " stroke=\"black\"");
  }
}
