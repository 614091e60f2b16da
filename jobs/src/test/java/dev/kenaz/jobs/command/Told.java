package dev.kenaz.jobs.command;

import dev.kenaz.jobs.Main;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The status of a command, and what it printed. */
record Told(int status, String out, String err) {
  static Told run(String... args) {
    return reading("", args);
  }

  /** With that on standard input. */
  static Told reading(String input, String... args) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var stdin = System.in;
    var stdout = System.out;
    var stderr = System.err;
    System.setIn(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
    try {
      int status = Main.run(args);
      System.out.flush();
      return new Told(
          status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    } finally {
      System.setIn(stdin);
      System.setOut(stdout);
      System.setErr(stderr);
    }
  }
}
