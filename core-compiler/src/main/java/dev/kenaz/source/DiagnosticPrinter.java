package dev.kenaz.source;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.Span;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Shows diagnostics to people:
 *
 * <pre>
 * error[K0101]: expected an expression, found `in`
 *   --> a.fut:3:11
 *    |
 *  3 |   let x = in x
 *    |           ^^
 *    = hint: ...
 * </pre>
 */
public final class DiagnosticPrinter {
  private static final String RED = "\u001b[1;31m";
  private static final String BLUE = "\u001b[1;34m";
  private static final String BOLD = "\u001b[1m";
  private static final String PLAIN = "\u001b[0m";

  /** A line that is longer than this is cut around the place of the fault. */
  private static final int WIDEST = 160;

  private final Function<String, Optional<String>> texts;
  private final boolean colour;

  /**
   * @param texts returns the text of a file by its name in spans, if the text is available
   * @param colour whether to use ANSI escapes
   */
  public DiagnosticPrinter(Function<String, Optional<String>> texts, boolean colour) {
    this.texts = texts;
    this.colour = colour;
  }

  /** Prints all of them, with an empty line between two and a line break at the end. */
  public String print(List<Diagnostic> diagnostics) {
    return diagnostics.stream().map(this::print).collect(Collectors.joining("\n"));
  }

  /** Prints one diagnostic as an error. */
  public String print(Diagnostic diagnostic) {
    return print(diagnostic, "error", RED);
  }

  /** Prints one diagnostic as a warning. */
  public String printWarning(Diagnostic diagnostic) {
    return print(diagnostic, "warning", BLUE);
  }

  private String print(Diagnostic diagnostic, String severity, String hue) {
    var span = diagnostic.span();
    var out = new StringBuilder();
    out.append(paint(hue, severity + "[" + diagnostic.code() + "]"));
    out.append(paint(BOLD, ": " + diagnostic.message())).append('\n');
    var number = span.known() ? Integer.toString(span.line()) : "";
    var margin = " ".repeat(number.length() + 1);
    if (span.known()) {
      out.append(margin).append(paint(BLUE, "--> ")).append(span).append('\n');
      texts
          .apply(span.file())
          .flatMap(text -> line(text, span.line()))
          .ifPresent(line -> excerpt(out, line, span, number, hue));
    }
    Stream.concat(diagnostic.hints().stream(), ErrorCode.remedy(diagnostic).stream())
        .forEach(
            hint ->
                out.append(margin)
                    .append(paint(BLUE, " = "))
                    .append("hint: ")
                    .append(hint)
                    .append('\n'));
    return out.toString();
  }

  private void excerpt(StringBuilder out, String line, Span span, String number, String hue) {
    var margin = " ".repeat(number.length() + 1);
    int from = Math.min(span.column() - 1, line.length());
    int to = span.endLine() > span.line() ? line.length() : span.endColumn() - 1;
    to = Math.clamp(to, from, line.length());
    int cut = from > WIDEST - 40 ? from - 40 : 0;
    int end = Math.min(line.length(), cut + WIDEST);
    var shown = (cut > 0 ? "…" : "") + printable(line.substring(cut, end));
    int indent = columns(line.substring(cut, from)) + (cut > 0 ? 1 : 0);
    int width = Math.max(1, columns(line.substring(from, Math.max(from, Math.min(to, end)))));
    out.append(margin).append(paint(BLUE, " |")).append('\n');
    out.append(' ').append(paint(BLUE, number + " | ")).append(shown).append('\n');
    out.append(margin).append(paint(BLUE, " | ")).append(" ".repeat(indent));
    out.append(paint(hue, "^".repeat(width))).append('\n');
  }

  /** Prints a tab as one column, so that the caret is under its character in every terminal. */
  private static String printable(String text) {
    var out = new StringBuilder();
    text.codePoints().forEach(c -> out.appendCodePoint(Character.isISOControl(c) ? ' ' : c));
    return out.toString();
  }

  private static int columns(String text) {
    return text.codePointCount(0, text.length());
  }

  private static Optional<String> line(String text, int number) {
    int start = 0;
    for (int i = 1; i < number; i++) {
      start = text.indexOf('\n', start) + 1;
      if (start == 0) {
        return Optional.empty();
      }
    }
    int end = text.indexOf('\n', start);
    return Optional.of(text.substring(start, end < 0 ? text.length() : end));
  }

  private String paint(String hue, String text) {
    return colour ? hue + text + PLAIN : text;
  }
}
