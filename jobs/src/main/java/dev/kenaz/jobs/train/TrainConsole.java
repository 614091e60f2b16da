package dev.kenaz.jobs.train;

import dev.kenaz.jobs.Screen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Tells a user of a training: by a line for each iteration, or by one that is rewritten. */
public final class TrainConsole implements Consumer<TrainEvent> {
  private final Screen screen;
  private final boolean quiet;
  private TrainEvent.Started started;

  /** The last iterations of models that are in training. A job of one model calls it "". */
  private final Map<String, TrainEvent.Iteration> last = new LinkedHashMap<>();

  private TimeLeft left = new TimeLeft();

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
    accept("", event);
  }

  /**
   * @param model its name, if it is one of several
   */
  private void accept(String model, TrainEvent event) {
    switch (event) {
      case TrainEvent.OfModel(var name, var of) -> accept(name, of);
      case TrainEvent.Warning w -> screen.say("warning: " + of(model) + w.text());
      case TrainEvent.Failed _ -> end(model); // The command prints the error.
      case TrainEvent e when quiet -> {}
      case TrainEvent.Started s -> started(s, model);
      case TrainEvent.Resumed r ->
          screen.say(of(model) + "resuming after %s %d".formatted(called(), r.iteration()));
      case TrainEvent.Iteration i when screen.rewrites() -> {
        last.put(model, i);
        left.add(i.seconds());
        screen.show(rewritten(i));
      }
      case TrainEvent.Iteration i -> screen.say(of(model) + line(i));
      case TrainEvent.Note n -> screen.say(of(model) + n.text());
      case TrainEvent.Checkpoint _, TrainEvent.Job _, TrainEvent.Data _, TrainEvent.Fit _ -> {}
      case TrainEvent.Ended e -> {
        end(model);
        switch (e.reason()) {
          case DONE, STOP, SETTLED -> screen.say(of(model) + e.reason().text());
          case ITERATIONS, TOLERANCE -> {}
        }
      }
      case TrainEvent.Model m -> model(model, m);
    }
  }

  private static String of(String model) {
    return model.isEmpty() ? "" : model + "  ";
  }

  private String called() {
    return started == null ? TrainEvent.ITERATION : started.called();
  }

  private void started(TrainEvent.Started s, String model) {
    boolean first = started == null || model.isEmpty();
    boolean same = !first && started.rows() == s.rows() && started.iterations() == s.iterations();
    started = s;
    if (last.isEmpty()) {
      left = new TimeLeft();
    }
    if (same) {
      return; // Of several models, only one says what they have in common.
    }
    screen.say(
        String.format(
            Locale.ROOT,
            "%s in %s on Spark %s, backend %s",
            counted(s.rows(), "row"),
            counted(s.pieces(), "partition"),
            s.spark(),
            s.backend()));
    if (s.validation() != null) {
      screen.say(counted(s.validation(), "row") + " for the validation");
    }
  }

  private static String counted(long n, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", n, noun, n == 1 ? "" : "s");
  }

  /** Leaves the last iteration where the rewritten line was. */
  private void end(String model) {
    screen.clear();
    var iteration = last.remove(model);
    if (iteration != null) {
      screen.say(of(model) + line(iteration));
    }
  }

  private void model(String model, TrainEvent.Model m) {
    if (m.trained() != null) {
      var text = "the training is finished, after %d %ss:";
      screen.say(of(model) + text.formatted(m.trained(), called()));
    }
    if (model.isEmpty()) {
      Scores.shown(m.metrics())
          .forEach((name, value) -> screen.say(name + "  " + Scores.text(value)));
      m.files().forEach(screen::say);
    } else if (!m.metrics().isEmpty()) {
      var parts = new ArrayList<String>();
      addMetrics(m.metrics(), parts);
      screen.say(of(model) + String.join("  ", parts));
    }
  }

  private String line(TrainEvent.Iteration i) {
    var parts = new ArrayList<>(List.of(String.format("%s %3d", called(), i.iteration())));
    if (i.loss() != null) {
      parts.add(String.format(Locale.ROOT, "loss %.6e", i.loss()));
      parts.add(
          "change "
              + (i.change() == null
                  ? " ".repeat(9)
                  : String.format(Locale.ROOT, "%+.2e", i.change())));
    }
    addMetrics(i.metrics(), parts);
    parts.add(String.format(Locale.ROOT, "%6.3f s", i.seconds()));
    parts.add(speed(i));
    return String.join("  ", parts);
  }

  /**
   * Returns a line about the models that are in training; of several, about that with most left.
   */
  private String rewritten(TrainEvent.Iteration now) {
    var parts = new ArrayList<String>();
    if (last.size() > 1) {
      parts.add(last.size() + " models");
    }
    var least =
        last.values().stream()
            .min(Comparator.comparingInt(TrainEvent.Iteration::iteration))
            .orElse(now);
    parts.add("%s %d of %d".formatted(called(), least.iteration(), limit()));
    last.values().stream()
        .filter(i -> i.loss() != null)
        .min(Comparator.comparingDouble(TrainEvent.Iteration::loss))
        .ifPresent(
            i ->
                parts.add(
                    String.format(
                        Locale.ROOT, last.size() > 1 ? "least loss %.6e" : "loss %.6e", i.loss())));
    if (last.size() == 1) {
      addMetrics(now.metrics(), parts);
    }
    parts.add(speed(now));
    left.after(limit() - least.iteration()).ifPresent(t -> parts.add(t + " left"));
    return String.join("  ", parts);
  }

  private int limit() {
    return started.iterations();
  }

  private static void addMetrics(Map<String, Number> metrics, List<String> parts) {
    Scores.shown(metrics).forEach((name, value) -> parts.add(name + " " + Scores.text(value, 5)));
  }

  private static String speed(TrainEvent.Iteration i) {
    return String.format(Locale.ROOT, "%,.0f rows/s", i.rowsPerSecond());
  }
}
