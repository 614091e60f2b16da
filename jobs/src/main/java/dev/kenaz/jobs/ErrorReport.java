package dev.kenaz.jobs;

import static dev.kenaz.error.ErrorCode.K5900;
import static dev.kenaz.error.ErrorCode.K7503;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Diagnostic;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.error.UserPath;
import dev.kenaz.source.DiagnosticPrinter;
import dev.kenaz.typing.Library;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/** Reports a failure to the user. There is a stack trace only if the fault is that of Kenaz. */
public final class ErrorReport {
  private static final boolean TRACES = System.getenv("KENAZ_TRACE") != null;
  private static final boolean COLOUR =
      System.console() != null
          && System.console().isTerminal()
          && System.getenv("NO_COLOR") == null;

  private ErrorReport() {}

  /**
   * Writes what has failed.
   *
   * @return the exit status, one of {@link ExitStatus}
   */
  public static int print(Throwable failure, PrintWriter out) {
    return print(failure, out, _ -> Optional.empty());
  }

  /**
   * Writes what has failed, with the lines of the program.
   *
   * @param texts the texts of files by their names; those that it lacks are read
   */
  public static int print(
      Throwable failure, PrintWriter out, Function<String, Optional<String>> texts) {
    var text = new StringWriter();
    int status =
        write(failure, new PrintWriter(text), f -> texts.apply(f).or(() -> ErrorReport.text(f)));
    out.print(HiddenText.without(text.toString()));
    out.flush();
    return status;
  }

  private static int write(
      Throwable failure, PrintWriter out, Function<String, Optional<String>> texts) {
    int status =
        switch (failure) {
          case UserError e -> {
            e.diagnostics().forEach(d -> print("error", d, out, texts));
            yield ExitStatus.USER_ERROR;
          }
          case Limitation e -> {
            print("not supported", e.diagnostic(), out, texts);
            yield ExitStatus.LIMITATION;
          }
          case CompilerBug e -> bug(e.getMessage(), e, out);
          case OutOfMemoryError e -> {
            print("error", outOfMemory(e), out, texts);
            yield ExitStatus.USER_ERROR;
          }
          case IOException e -> {
            print("error", file(e), out, texts);
            yield ExitStatus.USER_ERROR;
          }
          case UncheckedIOException e -> {
            print("error", file(e.getCause()), out, texts);
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

  /** Returns the diagnostic for a file of the user about which no command has said more. */
  private static Diagnostic file(IOException e) {
    var path = e instanceof FileSystemException f && f.getFile() != null ? f.getFile() : "";
    var reason = UserPath.reason(Path.of(path), e);
    var what = path.isEmpty() ? "a file or stream" : path;
    return Diagnostic.of(K7503, Span.NONE, "can't read or write " + what + ": " + reason);
  }

  private static Diagnostic outOfMemory(OutOfMemoryError e) {
    return Diagnostic.of(
        K5900,
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

  private static void print(
      String kind, Diagnostic d, PrintWriter out, Function<String, Optional<String>> texts) {
    var printed = new DiagnosticPrinter(texts, COLOUR).print(d);
    out.print(kind.equals("error") ? printed : printed.replaceFirst("error", kind));
  }

  private static Optional<String> text(String file) {
    try {
      return Optional.of(Files.readString(Path.of(file)));
    } catch (IOException | InvalidPathException e) {
      // The text is part of Kenaz, or the file is gone: then the message has only the place.
      return Library.text(file);
    }
  }
}
