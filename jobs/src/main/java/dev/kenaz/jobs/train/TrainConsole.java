package dev.kenaz.jobs.train;

import dev.kenaz.jobs.Screen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Tells a user of a training: by a line for each iteration, or by one that is rewritten. */
public final class TrainConsole implements Consumer<TrainEvent> {
  private final Screen screen;
  private final boolean quiet;
  private String last = "";
  private TrainEvent.Started started;
  private final TimeLeft left = new TimeLeft();

  /**
   * @param quiet whether only warnings are told
   */
  public TrainConsole(Screen screen, boolean quiet) {
    this.screen = screen;
    this.quiet = quiet;
  }

  /** Returns what tells each event in a line of its own. */
  public static TrainConsole lines(Consumer<String> say) {
    return new TrainConsole(Screen.lines(say), false);
  }

  @Override
  public void accept(TrainEvent event) {
    switch (event) {
      case TrainEvent.Warning w -> screen.say("warning: " + w.text());
      case TrainEvent.Failed _ -> end(); // The command prints the error.
      case TrainEvent e when quiet -> {}
      case TrainEvent.Started s -> {
        started = s;
        screen.say(
            String.format(
                Locale.ROOT,
                "%,d rows in %d partitions on Spark %s, backend %s",
                s.rows(),
                s.pieces(),
                s.spark(),
                s.backend()));
      }
      case TrainEvent.Resumed r -> screen.say("resuming after iteration " + r.iteration());
      case TrainEvent.Iteration i when screen.rewrites() -> {
        last = line(i);
        left.add(i.seconds());
        screen.show(rewritten(i));
      }
      case TrainEvent.Iteration i -> screen.say(line(i));
      case TrainEvent.Note n -> screen.say(n.text());
      case TrainEvent.Checkpoint _, TrainEvent.Job _, TrainEvent.Data _, TrainEvent.Fit _ -> {}
      case TrainEvent.Ended e -> {
        end();
        switch (e.reason()) {
          case DONE -> screen.say("no step improves the loss any more");
          case STOP -> screen.say("the metric to stop by gets no better");
          case ITERATIONS, TOLERANCE -> {}
        }
      }
      case TrainEvent.Model m -> model(m);
    }
  }

  /** Leaves the last iteration where the rewritten line was. */
  private void end() {
    screen.clear();
    if (!last.isEmpty()) {
      screen.say(last);
    }
    last = "";
  }

  private void model(TrainEvent.Model m) {
    if (m.trained() != null) {
      screen.say("the training is finished, after " + m.trained() + " iterations:");
    }
    m.metrics().forEach((name, value) -> screen.say(name + "  " + value));
    m.files().forEach(screen::say);
  }

  private static String line(TrainEvent.Iteration i) {
    var parts = new ArrayList<>(List.of(String.format("iteration %3d", i.iteration())));
    if (i.loss() != null) {
      parts.add(String.format(Locale.ROOT, "loss %.6e", i.loss()));
      parts.add(
          "change "
              + (i.change() == null
                  ? " ".repeat(9)
                  : String.format(Locale.ROOT, "%+.2e", i.change())));
    }
    addMetrics(i, parts);
    parts.add(String.format(Locale.ROOT, "%6.3f s", i.seconds()));
    parts.add(speed(i));
    return String.join("  ", parts);
  }

  private String rewritten(TrainEvent.Iteration i) {
    var parts = new ArrayList<>(List.of("iteration " + i.iteration() + " of " + limit()));
    if (i.loss() != null) {
      parts.add(String.format(Locale.ROOT, "loss %.6e", i.loss()));
    }
    addMetrics(i, parts);
    parts.add(speed(i));
    left.after(limit() - i.iteration()).ifPresent(t -> parts.add(t + " left"));
    return String.join("  ", parts);
  }

  private int limit() {
    return started.iterations();
  }

  private static void addMetrics(TrainEvent.Iteration i, List<String> parts) {
    i.metrics()
        .forEach((name, value) -> parts.add(String.format(Locale.ROOT, "%s %.5g", name, value)));
  }

  private static String speed(TrainEvent.Iteration i) {
    return String.format(Locale.ROOT, "%,.0f rows/s", i.rowsPerSecond());
  }
}
