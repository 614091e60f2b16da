package dev.kenaz.jobs.tools.bind;

import dev.kenaz.jobs.tools.doc.Comments;
import java.util.stream.Collectors;

/** Turns documentation comments of programs into Javadoc. */
final class Javadoc {
  private Javadoc() {}

  /** Returns a comment, indented by two spaces. */
  static String of(String html) {
    return html.strip()
        .lines()
        .map(l -> ("   * " + inert(l)).stripTrailing())
        .collect(Collectors.joining("\n", "  /**\n", "\n   */\n"));
  }

  /** Returns a part of the program's text as code in Javadoc. */
  static String code(String text) {
    return "<code>" + inert(Comments.escape(text)) + "</code>";
  }

  /**
   * Returns the text without what ends a comment, begins a tag, or is an escape even in comments.
   */
  private static String inert(String html) {
    return html.replace("*/", "*&#47;")
        .replace("@", "&#64;")
        .replace("\\", "&#92;")
        .replace("{", "&#123;");
  }
}
