package dev.kenaz.jobs.picture;

import dev.kenaz.distribute.report.Svg;
import java.util.List;

/**
 * A page of tables and pictures, which is one file: HTML without links to styles, scripts or
 * pictures elsewhere. A click on the header of a table sorts it.
 */
public final class Page {
  /** What the file of a page is called. */
  public static final String NAME = "report.html";

  private static final String STYLE =
      """
      body { font-family: sans-serif; max-width: 1180px; margin: 2em auto; padding: 0 1em; }
      h1, p, td, th { overflow-wrap: anywhere; }
      h2 { border-bottom: 1px solid #ccc; margin-top: 2em; }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; }
      td, th { padding: 3px 10px; border: 1px solid #ddd; text-align: left; overflow-wrap: normal; }
      td.n { text-align: right; white-space: nowrap; }
      th { cursor: pointer; background: #f6f6f6; }
      tr.noisy td { background: #fff8e0; }
      tr.failed td { background: #fde8e4; }
      tr.best td { background: #e8f5e4; }
      pre { background: #f6f6f6; padding: 1em; overflow-x: auto; }
      .warning { background: #fff2cc; padding: 0.5em 1em; }
      .pictures svg { max-width: 100%; height: auto; }
      """;

  /** Sorts a table by the column whose header is clicked. */
  private static final String SCRIPT =
      """
      document.querySelectorAll("table.sorted th").forEach(function (th) {
        th.onclick = function () {
          var table = th.closest("table"), at = th.cellIndex;
          var down = th.dataset.order !== "up";
          th.dataset.order = down ? "up" : "down";
          var rows = Array.from(table.tBodies[0].rows);
          rows.sort(function (a, b) {
            var x = a.cells[at].dataset.n, y = b.cells[at].dataset.n;
            var order = x !== undefined && y !== undefined
              ? x - y : a.cells[at].textContent.localeCompare(b.cells[at].textContent);
            return down ? order : -order;
          });
          rows.forEach(function (r) { table.tBodies[0].appendChild(r); });
        };
      });
      """;

  private final StringBuilder page = new StringBuilder();

  /** What a page has about one thing. */
  public interface Part {
    /** Returns the heading of the part. */
    String title();

    /** Adds what is below it. */
    void addTo(Page page);
  }

  /** Returns a page of some parts. */
  public static String of(List<? extends Part> parts) {
    boolean one = parts.size() == 1;
    var page = new Page(one ? parts.getFirst().title() : parts.size() + " sweeps");
    for (var part : parts) {
      if (!one) {
        page.heading(part.title());
      }
      part.addTo(page);
    }
    return page.end();
  }

  /** Begins a page, whose title is also its first heading. */
  private Page(String title) {
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"/><title>")
        .append(Svg.escaped(title))
        .append("</title>\n<style>\n")
        .append(STYLE)
        .append("</style></head>\n<body>\n");
    heading(title);
  }

  private void heading(String text) {
    page.append("<h1>").append(Svg.escaped(text)).append("</h1>\n");
  }

  /**
   * Adds a paragraph.
   *
   * @param kind {@code note} or {@code warning}
   */
  public Page paragraph(String kind, String text) {
    page.append("<p class=\"%s\">".formatted(kind)).append(Svg.escaped(text)).append("</p>\n");
    return this;
  }

  /** Begins a table under a title of its own; rows follow. */
  public Page table(String title, List<String> headers) {
    page.append("<h2>").append(Svg.escaped(title));
    page.append("</h2>\n<div class=\"wide\"><table class=\"sorted\"><thead><tr>");
    headers.forEach(h -> page.append("<th>").append(Svg.escaped(h)).append("</th>"));
    page.append("</tr></thead><tbody>\n");
    return this;
  }

  /**
   * Begins a row; cells follow.
   *
   * @param kind {@code noisy}, {@code failed}, {@code best}, or nothing
   * @param title what is shown when the pointer rests on it
   */
  public Page row(String kind, String title) {
    page.append("<tr class=\"%s\" title=\"%s\">".formatted(kind, Svg.escaped(title)));
    return this;
  }

  /** Adds a cell with a text. */
  public Page cell(String text) {
    page.append("<td>").append(Svg.escaped(text)).append("</td>");
    return this;
  }

  /** Adds a cell that leads to another file beside the page. */
  public Page link(String text, String file) {
    page.append("<td><a href=\"").append(Svg.escaped(file)).append("\">");
    page.append(Svg.escaped(text)).append("</a></td>");
    return this;
  }

  /**
   * Adds a cell with a number.
   *
   * @param x null for an empty cell
   */
  public Page number(Double x, String text) {
    page.append("<td class=\"n\" data-n=\"")
        .append(x == null ? -1 : x)
        .append("\">")
        .append(x == null ? "" : Svg.escaped(text))
        .append("</td>");
    return this;
  }

  /** Ends a row. */
  public Page endRow() {
    page.append("</tr>\n");
    return this;
  }

  /** Ends a table. */
  public Page endTable() {
    page.append("</tbody></table></div>\n");
    return this;
  }

  /** Adds pictures under a title, if there are any. */
  public Page pictures(String title, List<String> svgs) {
    if (!svgs.isEmpty()) {
      page.append("<h2>").append(Svg.escaped(title)).append("</h2>\n<div class=\"pictures\">\n");
      svgs.forEach(page::append);
      page.append("</div>\n");
    }
    return this;
  }

  /** Adds a text as it is, under a title. */
  public Page text(String title, String text) {
    page.append("<h2>").append(Svg.escaped(title)).append("</h2>\n<pre>");
    page.append(Svg.escaped(text)).append("</pre>\n");
    return this;
  }

  private String end() {
    return page + "<script>\n" + SCRIPT + "</script>\n</body>\n</html>\n";
  }
}
