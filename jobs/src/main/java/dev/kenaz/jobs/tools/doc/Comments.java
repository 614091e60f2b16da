package dev.kenaz.jobs.tools.doc;

import java.util.regex.Pattern;

/** Turns documentation comments into HTML. They have paragraphs, lists, code and headings. */
public final class Comments {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern STRONG = Pattern.compile("\\*\\*([^*]+)\\*\\*");
  private static final Pattern EMPHASIS = Pattern.compile("(?<![*\\w])\\*([^*]+)\\*(?![*\\w])");

  private Comments() {}

  /** Returns text as HTML. */
  public static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** Returns a comment as HTML. */
  public static String html(String comment) {
    var out = new StringBuilder();
    for (var block : comment.strip().split("\n\\s*\n")) {
      out.append(block(block.stripTrailing()));
    }
    return out.toString();
  }

  private static String block(String block) {
    var lines = block.lines().toList();
    if (block.startsWith("```") || lines.stream().allMatch(l -> l.startsWith("    "))) {
      return "<pre><code>" + escape(block.replaceAll("(?m)^```.*\n?", "")) + "</code></pre>\n";
    }
    if (block.startsWith("#")) {
      return "<h4>" + inline(block.replaceFirst("^#+\\s*", "")) + "</h4>\n";
    }
    if (lines.getFirst().matches("\\s*[*-] .*")) {
      var items = block.strip().split("(?m)^\\s*[*-] ");
      var out = new StringBuilder("<ul>\n");
      for (var item : items) {
        out.append(item.isBlank() ? "" : "<li>" + inline(item.strip()) + "</li>\n");
      }
      return out.append("</ul>\n").toString();
    }
    return "<p>" + inline(block) + "</p>\n";
  }

  private static String inline(String text) {
    var html = CODE.matcher(escape(text)).replaceAll("<code>$1</code>");
    html = STRONG.matcher(html).replaceAll("<strong>$1</strong>");
    return EMPHASIS.matcher(html).replaceAll("<em>$1</em>");
  }
}
