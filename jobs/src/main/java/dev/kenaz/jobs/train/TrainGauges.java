package dev.kenaz.jobs.train;

import dev.kenaz.spark.Gauges;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Gives the numbers of the last iteration to Spark's metrics system. */
final class TrainGauges implements Consumer<TrainEvent> {
  private static final String NAME = "kenaz.train";

  private final String name;
  private Gauges gauges;

  /**
   * @param model its name, if it is one of several
   */
  TrainGauges(String model) {
    this.name = model.isEmpty() ? NAME : NAME + "." + model;
  }

  @Override
  public void accept(TrainEvent event) {
    switch (event) {
      case TrainEvent.Started s -> {
        var first = new LinkedHashMap<String, Number>();
        numbers(new TrainEvent.Iteration(0, null, null, Map.of(), null, null, 0, 0, null))
            .forEach(first::put);
        first.put("iterations", s.iterations());
        gauges = Gauges.register(name, first);
      }
      case TrainEvent.Iteration i -> numbers(i).forEach(gauges::set);
      case TrainEvent.Job _,
          TrainEvent.Resumed _,
          TrainEvent.Checkpoint _,
          TrainEvent.Note _,
          TrainEvent.Warning _,
          TrainEvent.Ended _,
          TrainEvent.Data _,
          TrainEvent.Fit _,
          TrainEvent.Failed _,
          TrainEvent.Model _,
          TrainEvent.OfModel _ -> {}
    }
  }

  private static Map<String, Number> numbers(TrainEvent.Iteration i) {
    return Map.of(
        "iteration",
        i.iteration(),
        "loss",
        orNaN(i.loss()),
        "change",
        orNaN(i.change()),
        "gradient",
        orNaN(i.gradient()),
        "step",
        orNaN(i.step()),
        "secondsPerIteration",
        i.seconds(),
        "rowsPerSecond",
        i.rowsPerSecond());
  }

  private static double orNaN(Double number) {
    return number == null ? Double.NaN : number;
  }
}
