package dev.kenaz.jobs.tools.bind;

import dev.kenaz.jobs.tools.doc.Comments;
import java.util.stream.Collectors;

/** Documentation comments of programs as those of Java. */
final class Javadoc {
  private Javadoc() {}

  /** A comment, indented by two spaces. */
  static String of(String html) {
    return html.strip()
        .lines()
        .map(l -> ("   * " + inert(l)).stripTrailing())
        .collect(Collectors.joining("\n", "  /**\n", "\n   */\n"));
  }

  /** Some of the program's text. */
  static String code(String text) {
    return "<code>" + inert(Comments.escape(text)) + "</code>";
  }

  /** Without what ends a comment, begins a tag, or is read as an escape even in comments. */
  private static String inert(String html) {
    return html.replace("*/", "*&#47;")
        .replace("@", "&#64;")
        .replace("\\", "&#92;")
        .replace("{", "&#123;");
  }
}
