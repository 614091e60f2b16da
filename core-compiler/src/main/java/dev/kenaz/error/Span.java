package dev.kenaz.error;

import java.io.Serializable;

/**
 * A span is a stretch of source text, from its first character to just past its last one. Lines and
 * columns count from 1, columns in UTF-16 code units.
 *
 * @param file the name as the user wrote it, or {@code <prelude>} style for text of our own
 */
public record Span(String file, int line, int column, int endLine, int endColumn)
    implements Serializable {
  /** This is the span of what has no place in any source text. */
  public static final Span NONE = new Span("", 0, 0, 0, 0);

  /** Returns the shortest span that covers both. */
  public Span to(Span end) {
    if (this == NONE) {
      return end;
    }
    return end == NONE ? this : new Span(file, line, column, end.endLine, end.endColumn);
  }

  public boolean known() {
    return line > 0;
  }

  /** Whether the place is in the prelude, whose text no user has written. */
  public boolean inPrelude() {
    return file.startsWith("<prelude>");
  }

  /** Returns {@code file:line:column}, as editors understand it. */
  @Override
  public String toString() {
    return known() ? file + ":" + line + ":" + column : "<unknown place>";
  }
}
