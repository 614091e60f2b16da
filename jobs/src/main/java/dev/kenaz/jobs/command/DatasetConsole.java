package dev.kenaz.jobs.command;

import dev.kenaz.arrow.Progress;
import dev.kenaz.jobs.Screen;
import dev.kenaz.jobs.train.TimeLeft;
import java.util.Locale;

/**
 * Shows how far the work on a dataset is: by a line that is rewritten on a terminal, and elsewhere
 * by a line now and then.
 */
final class DatasetConsole implements Progress, AutoCloseable {
  /** Lines that stay come so many nanoseconds one after the other. */
  private static final long PAUSE = 10_000_000_000L;

  private final Screen screen;
  private final boolean quiet;
  private long begin = System.nanoTime();
  private long said = begin;
  private String why = "";

  DatasetConsole(Screen screen, boolean quiet) {
    this.screen = screen;
    this.quiet = quiet;
  }

  @Override
  public synchronized void at(long rows, double fraction) {
    if (quiet) {
      return;
    }
    long now = System.nanoTime();
    if (screen.rewrites()) {
      screen.show(text(rows, fraction, now));
    } else if (now - said >= PAUSE) {
      said = now;
      screen.say(text(rows, fraction, now));
    }
  }

  @Override
  public synchronized void pass(String reason) {
    begin = System.nanoTime();
    why = reason.isEmpty() ? "" : reason + ": ";
  }

  private String text(long rows, double fraction, long now) {
    double seconds = (now - begin) / 1e9;
    var text =
        why
            + String.format(
                Locale.ROOT,
                "%,d rows  %.0f %%  %,.0f rows/s",
                rows,
                100 * fraction,
                rows / seconds);
    return fraction <= 0 || fraction >= 1
        ? text
        : text + "  " + TimeLeft.text(Math.round(seconds * (1 - fraction) / fraction)) + " left";
  }

  /** Removes the line that is shown. */
  void clear() {
    screen.clear();
  }

  @Override
  public void close() {
    clear();
  }
}
