package dev.kenaz.jobs.tools.repl;

import static dev.kenaz.error.ErrorCode.K1100;

import dev.kenaz.error.UserPath;
import dev.kenaz.jobs.ErrorReport;
import dev.kenaz.pipeline.ProgramSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;

/** Reads lines and answers them, until the input ends. */
public final class Repl {
  private static final String HELP =
      """
      EXPRESSION        its value
      def ...           keeps a definition; also type, module, open, import
      :type EXPRESSION  its type
      :load FILE        starts over with a program
      :quit             ends
      """;

  private final Session session;
  private final PrintWriter out;
  private final boolean prompt;
  private int number;

  /** A line that was read, but is not answered yet. */
  private String held;

  /**
   * @param prompt whether a prompt is shown
   */
  public Repl(Session session, PrintWriter out, boolean prompt) {
    this.session = session;
    this.out = out;
    this.prompt = prompt;
  }

  /** Answers lines until there are no more. */
  public void run(BufferedReader in) throws IOException {
    while (true) {
      if (prompt) {
        out.print("[" + number++ + "]> ");
      }
      out.flush();
      var line = next(in);
      if (line == null || line.strip().equals(":quit") || line.strip().equals(":q")) {
        return;
      }
      try {
        answer(line.strip().startsWith(":") ? line : whole(line, in));
      } catch (RuntimeException | Error e) {
        ErrorReport.print(e, out, session::text);
      }
    }
  }

  private String next(BufferedReader in) throws IOException {
    var line = held == null ? in.readLine() : held;
    held = null;
    return line;
  }

  /** Returns a line together with the lines that complete it, up to an empty one. */
  private String whole(String first, BufferedReader in) throws IOException {
    var text = first;
    while (!text.isBlank() && Session.isIncomplete(text)) {
      if (prompt) {
        out.print("    ");
        out.flush();
      }
      var line = in.readLine();
      if (line == null || line.isBlank()) {
        break;
      }
      if (line.strip().startsWith(":")) {
        held = line;
        break;
      }
      text += "\n" + line;
    }
    return text;
  }

  private void answer(String text) {
    var line = text.strip();
    var words = line.split("\\s+", 2);
    var rest = words.length == 2 ? words[1] : "";
    switch (words[0]) {
      case "" -> {}
      case ":type", ":t" -> out.println(rest + " : " + session.type(rest));
      case ":load", ":l" -> {
        session.load(ProgramSource.read(UserPath.of(rest, K1100)));
        out.println("loaded " + rest);
      }
      case ":help", ":h", ":?" -> out.print(HELP);
      default -> {
        if (line.startsWith(":")) {
          out.println("there is no command " + words[0] + "; :help lists them");
        } else if (Session.isDeclaration(line)) {
          session.define(line);
        } else {
          out.println(session.evaluate(line));
        }
      }
    }
  }
}
