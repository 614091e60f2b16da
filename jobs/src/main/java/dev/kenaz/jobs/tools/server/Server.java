package dev.kenaz.jobs.tools.server;

import dev.kenaz.pipeline.CompiledProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * Serves a program: it reads commands and answers them until the input ends. A failure of a command
 * is reported, and the session goes on.
 */
public final class Server {
  private static final String OK = "%%% OK";
  private static final String FAILURE = "%%% FAILURE";

  private final Commands commands;
  private final PrintStream out;

  /**
   * @param attributes the attributes of the entry points, by name
   * @param out the stream for the answers; nothing else may write to it
   */
  public Server(CompiledProgram program, Map<String, List<String>> attributes, PrintStream out) {
    this.commands = new Commands(program, attributes, out::println);
    this.out = out;
  }

  /** Answers commands until the input ends. */
  public void serve(BufferedReader in) throws IOException {
    out.println(OK);
    out.flush();
    for (var line = in.readLine(); line != null; line = in.readLine()) {
      answer(line);
    }
  }

  private void answer(String line) {
    try {
      var words = Words.of(line);
      if (!words.isEmpty()) {
        commands.execute(words.getFirst(), words.subList(1, words.size()));
      }
    } catch (Exception | StackOverflowError | OutOfMemoryError | LinkageError | AssertionError e) {
      out.println(FAILURE);
      out.println(FailureText.of(e));
    }
    out.println(OK);
    out.flush();
  }
}
