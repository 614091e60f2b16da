package dev.kenaz.jobs.tools.server;

import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Collectors;

/** Says what a client gets to know about a failure: the message, then the place. */
public final class FailureText {
  private FailureText() {}

  /** Returns one or more lines, none of which looks like a part of the protocol. */
  public static String of(Throwable failure) {
    return switch (failure) {
      case UserError e ->
          e.diagnostics().stream().map(FailureText::of).collect(Collectors.joining("\n"));
      case Limitation e -> "not supported: " + of(e.diagnostic());
      case StackOverflowError _ -> "Error: out of stack";
      case OutOfMemoryError e -> "Error: out of memory: " + e.getMessage();
      default -> bug(failure);
    };
  }

  private static String of(Diagnostic d) {
    var text = new StringBuilder();
    if (d.code().isOfRun()) {
      text.append("Error: ").append(d.message());
      if (d.span().known()) {
        text.append("\n\nBacktrace:\n-> #0  ").append(d.span());
      }
    } else {
      text.append(d.span().known() ? d.span() + ": " : "").append(d.message());
    }
    d.hints().forEach(h -> text.append("\nhint: ").append(h));
    return text.append("\n[").append(d.code()).append("]").toString();
  }

  private static String bug(Throwable failure) {
    var trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    var lines = trace.toString().lines().limit(12).collect(Collectors.joining("\n"));
    return "bug in kenaz: " + lines;
  }
}
