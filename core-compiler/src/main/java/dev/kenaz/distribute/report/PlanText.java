package dev.kenaz.distribute.report;

import dev.kenaz.distribute.report.PlanSummary.Moved;
import dev.kenaz.distribute.report.PlanSummary.Part;
import dev.kenaz.error.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A plan in words, a line for each thing that is read, sent, combined or kept. */
final class PlanText {
  /** Seconds from which the driver's own work is told. */
  private static final double NOTABLE = 1e-4;

  private final long pieces;
  private final List<String> lines = new ArrayList<>();

  private PlanText(long pieces) {
    this.pieces = pieces;
  }

  static List<String> of(PlanSummary plan) {
    var text = new PlanText(plan.pieces());
    text.header(plan);
    text.parts(plan.parts(), "");
    text.values("", "results", plan.results(), m -> (m.bytes() + "  " + m.how()).strip());
    return text.lines;
  }

  /** Returns what the picture begins with, too: the plan in one line, and what to know of it. */
  static List<String> title(PlanSummary plan) {
    var lines = new ArrayList<String>();
    var wire = plan.wire();
    boolean timed = plan.takes().isKnown();
    lines.add(
        plan.entry()
            + ": "
            + counted(plan.stages(), "stage")
            + " over "
            + counted(plan.pieces(), "piece")
            + (wire.isPresent() ? "; to and from them " + Quantity.of(wire.getAsLong()) : "")
            + (timed
                ? "; about "
                    + Seconds.text(plan.takes().total())
                    + " on "
                    + counted(plan.cores(), "core")
                : ""));
    if (timed && !plan.assumed().isEmpty()) {
      lines.add(
          "assumed  "
              + String.join(", ", plan.assumed())
              + ": as many rows as the first dataset has");
    }
    if (!plan.missing().isEmpty()) {
      lines.add(
          (timed
                  ? "to tell all bytes, give --sizes "
                  : "to tell all bytes and times, give --sizes ")
              + String.join("=…,", plan.missing())
              + "=…");
    }
    return lines;
  }

  private void header(PlanSummary plan) {
    lines.addAll(title(plan));
    values("", "dataset", plan.columns(), m -> m.bytes().toString());
  }

  private static String counted(long n, String noun) {
    return n + " " + noun + (n == 1 ? "" : "s");
  }

  private void parts(List<Part> parts, String indent) {
    for (var part : parts) {
      switch (part) {
        case PlanSummary.Driver(var computes, var takes) -> {
          lines.add(indent + "driver computes " + String.join(", ", computes));
          if (takes.total() >= NOTABLE) {
            takes(indent, takes);
          }
        }
        case PlanSummary.Stage s -> stage(s, indent);
        case PlanSummary.Exchange e -> {
          lines.add(indent + "pieces " + e.how() + place(e.span()));
          values(indent + "  ", "get", e.rows(), m -> m.bytes() + each(m));
          takes(indent, e.takes());
          if (!e.instead().isEmpty()) {
            lines.add(indent + "  or       " + e.instead());
          }
        }
        case PlanSummary.Choice c -> {
          lines.add(indent + c.header() + place(c.span()));
          parts(c.then(), indent + "  ");
          lines.add(indent + "else");
          parts(c.otherwise(), indent + "  ");
        }
        case PlanSummary.Repeat r -> {
          lines.add(indent + r.header() + place(r.span()));
          parts(r.parts(), indent + "  ");
        }
      }
    }
  }

  private void stage(PlanSummary.Stage s, String indent) {
    lines.add(indent + "stage " + s.number());
    values(indent + "  ", "reads", s.reads(), m -> m.bytes() + each(m));
    values(indent + "  ", "is sent", s.sent(), m -> m.bytes() + " to each piece");
    values(indent + "  ", "combines", s.combined(), PlanText::combined);
    values(indent + "  ", "keeps", s.kept(), m -> m.bytes() + each(m));
    values(indent + "  ", "gathers", s.gathered(), m -> m.bytes() + " to the driver");
    takes(indent, s.takes());
  }

  private void takes(String indent, Seconds takes) {
    if (takes.isKnown()) {
      lines.add(indent + "  takes    " + takes);
    }
  }

  private String each(Moved m) {
    return m.bytes().isKnown() ? ", " + m.bytes().times(1.0 / pieces) + " a piece" : "";
  }

  private static String place(Span span) {
    return span.known() ? ", at " + span : "";
  }

  private static String combined(Moved m) {
    return m.bytes() + " from each piece, by " + m.how() + place(m.span());
  }

  private void values(
      String indent, String verb, List<Moved> values, Function<Moved, String> about) {
    int width = values.stream().mapToInt(m -> m.title().length()).max().orElse(0);
    for (int i = 0; i < values.size(); i++) {
      var m = values.get(i);
      lines.add(
          "%s%-9s%s  %s"
              .formatted(
                  indent,
                  i == 0 ? verb : "",
                  m.title() + " ".repeat(width - m.title().length()),
                  about.apply(m))
              .stripTrailing());
    }
  }
}
