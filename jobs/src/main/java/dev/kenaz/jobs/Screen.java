package dev.kenaz.jobs;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Takes lines for a user, and a line that is rewritten as long as something goes on. Without a
 * terminal nothing is rewritten.
 */
public final class Screen {
  /** Goes to the begin of the line and empties it; what is written next does not wrap. */
  private static final String EMPTY = "\r\033[K";

  private static final String CUT = "\033[?7l";
  private static final String WRAP = "\033[?7h";

  /** People can't read more often. */
  private static final long PAUSE = 50_000_000;

  private final Consumer<String> say;
  private final PrintStream terminal;
  private boolean shows;
  private long shown;

  private Screen(Consumer<String> say, PrintStream terminal) {
    this.say = say;
    this.terminal = terminal;
  }

  /** Returns a screen on which all lines stay. */
  public static Screen lines(Consumer<String> say) {
    return new Screen(say, null);
  }

  /** Returns a screen that rewrites lines, whatever the stream is. */
  public static Screen rewriting(PrintStream out) {
    return new Screen(out::println, out);
  }

  /** Returns the standard output, which rewrites lines if it is a terminal that can do so. */
  public static Screen standard(boolean rewrites) {
    var console = System.console();
    boolean able = console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM"));
    return able && rewrites ? rewriting(System.out) : lines(System.out::println);
  }

  /** Returns the standard error, which rewrites lines if it is a terminal that can do so. */
  public static Screen error() {
    return isTerminal() && !"dumb".equals(System.getenv("TERM"))
        ? rewriting(System.err)
        : lines(line -> System.err.println(line));
  }

  /** Whether the standard error is a terminal; input and output may be none then. */
  private static boolean isTerminal() {
    try {
      var target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
      return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
    } catch (IOException | UnsupportedOperationException e) { // The system is another one.
      var console = System.console();
      return console != null && console.isTerminal();
    }
  }

  public boolean rewrites() {
    return terminal != null;
  }

  /** Prints a line that stays. */
  public void say(String line) {
    clear();
    say.accept(HiddenText.without(line));
  }

  /** Shows a line until there is another one. Without a terminal it isn't shown. */
  public void show(String line) {
    long now = System.nanoTime();
    if (rewrites() && (!shows || now - shown > PAUSE)) {
      terminal.print(EMPTY + CUT + HiddenText.without(line) + WRAP);
      terminal.flush();
      shows = true;
      shown = now;
    }
  }

  /** Removes the line that is shown. */
  public void clear() {
    if (shows) {
      terminal.print(EMPTY);
      terminal.flush();
      shows = false;
    }
  }
}
