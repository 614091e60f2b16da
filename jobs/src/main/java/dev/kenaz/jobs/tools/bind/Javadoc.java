package dev.kenaz.jobs.tools.bind;

import dev.kenaz.jobs.tools.doc.Comments;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Turns documentation comments of programs into Javadoc. */
final class Javadoc {
  private Javadoc() {}

  /**
   * Returns a comment, indented by two spaces.
   *
   * @param html text of the program's author
   * @param more lines to put after it, which may have tags
   */
  static String of(String html, List<String> more) {
    return Stream.concat(html.strip().lines().map(Javadoc::inert), more.stream())
        .map(l -> ("   * " + l).stripTrailing())
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
