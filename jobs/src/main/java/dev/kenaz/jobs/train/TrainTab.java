package dev.kenaz.jobs.train;

import dev.kenaz.spark.KenazTab;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.spark.SparkContext;

/** Shows the report of a training in Spark's pages, while it runs and afterwards. */
final class TrainTab implements Consumer<TrainEvent> {
  private final SparkContext spark;
  private final String name;
  private final List<TrainEvent> events = new ArrayList<>();

  /**
   * @param name what the page calls it
   */
  TrainTab(SparkContext spark, String name) {
    this.spark = spark;
    this.name = name;
  }

  @Override
  public void accept(TrainEvent event) {
    switch (event) {
      case TrainEvent.Model _, TrainEvent.OfModel _ -> {}
      case TrainEvent.Started _ -> {
        add(event);
        KenazTab.of(spark).ifPresent(tab -> tab.show(name, this::page));
      }
      case TrainEvent.Job _,
          TrainEvent.Resumed _,
          TrainEvent.Iteration _,
          TrainEvent.Checkpoint _,
          TrainEvent.Note _,
          TrainEvent.Warning _,
          TrainEvent.Ended _,
          TrainEvent.Data _,
          TrainEvent.Fit _,
          TrainEvent.Failed _ ->
          add(event);
    }
  }

  private void add(TrainEvent event) {
    synchronized (events) {
      events.add(event);
    }
  }

  /** Returns the report. Spark's own threads ask for it. */
  private String page() {
    List<TrainEvent> now;
    synchronized (events) {
      now = List.copyOf(events);
    }
    var shown = new ArrayList<TrainEvent>();
    try {
      for (var event : now) {
        EventsFile.hidden(event).ifPresent(shown::add);
      }
    } catch (IOException e) { // There is no file.
      throw new UncheckedIOException(e);
    }
    return Report.of(shown);
  }
}
