package dev.kenaz.jobs;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tells a failure to the user: no stack trace unless it is our own fault. */
public final class ErrorReport {
  private static final boolean TRACES = System.getenv("KENAZ_TRACE") != null;

  private ErrorReport() {}

  /**
   * Writes what went wrong.
   *
   * @return the status to end with, one of {@link ExitStatus}
   */
  public static int print(Throwable failure, PrintWriter out) {
    int status =
        switch (failure) {
          case UserError e -> {
            e.diagnostics().forEach(d -> print("error", d, out));
            yield ExitStatus.USER_ERROR;
          }
          case Limitation e -> {
            print("not supported", e.diagnostic(), out);
            yield ExitStatus.LIMITATION;
          }
          case CompilerBug e -> bug(e.getMessage(), e, out);
          case OutOfMemoryError e -> {
            print("error", outOfMemory(e), out);
            yield ExitStatus.USER_ERROR;
          }
          default -> bug("unexpected " + failure, failure, out);
        };
    if (TRACES && status != ExitStatus.BUG) {
      failure.printStackTrace(out);
    }
    out.flush();
    return status;
  }

  private static Diagnostic outOfMemory(OutOfMemoryError e) {
    return Diagnostic.of(
        "K5900",
        Span.NONE,
        "out of memory: " + e.getMessage(),
        "give Java more, for example KENAZ_JAVA_OPTS=-Xmx8g, or use less data at a time");
  }

  private static int bug(String message, Throwable failure, PrintWriter out) {
    out.println("bug in kenaz: " + message);
    out.println("This is our fault, not yours. What follows helps to find it:");
    failure.printStackTrace(out);
    return ExitStatus.BUG;
  }

  private static void print(String kind, Diagnostic d, PrintWriter out) {
    var place = d.span().known() ? d.span() + ": " : "";
    out.println(place + kind + "[" + d.code() + "]: " + d.message());
    sourceLine(d.span())
        .ifPresent(
            line -> {
              var number = String.valueOf(d.span().line());
              var margin = " ".repeat(number.length());
              out.println(" " + margin + " |");
              out.println(" " + number + " | " + line);
              out.println(" " + margin + " | " + caret(d.span(), line));
            });
    d.hints().forEach(h -> out.println("  " + h));
  }

  private static String caret(Span span, String line) {
    int from = Math.min(span.column() - 1, line.length());
    int to = span.endLine() == span.line() ? span.endColumn() - 1 : line.length();
    var before = line.substring(0, from).replaceAll("[^\t]", " ");
    return before + "^".repeat(Math.max(1, Math.min(to, line.length()) - from));
  }

  private static Optional<String> sourceLine(Span span) {
    if (!span.known()) {
      return Optional.empty();
    }
    try {
      List<String> lines = Files.readAllLines(Path.of(span.file()));
      return span.line() <= lines.size()
          ? Optional.of(lines.get(span.line() - 1))
          : Optional.empty();
    } catch (IOException | InvalidPathException e) {
      return Optional.empty(); // text of our own, or no longer there: the place alone must do
    }
  }
}
