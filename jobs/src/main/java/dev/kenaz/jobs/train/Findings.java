package dev.kenaz.jobs.train;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.spark.ColumnSummary;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What a report tells of data and model beside the training itself. */
final class Findings {
  /** How many rows a model is compared with at most. */
  private static final long ROWS = 10_000;

  /** How many of them are drawn as points at most. */
  private static final int POINTS = 1000;

  /** More classes than these make a table that nobody can read. */
  private static final int CLASSES = 20;

  private Findings() {}

  /** Summarises data. */
  static TrainEvent.Data data(
      TrainConfig config, Trainer trainer, ParameterData read, JobData data) {
    var summaries = ColumnSummary.of(data.runner());
    var columns = new ArrayList<TrainEvent.Column>();
    int array = 0;
    for (var p : trainer.entry().type().params()) {
      if (!config.data().columns().containsKey(p.name())) {
        continue;
      }
      var names = config.data().names(p.name());
      for (int part = p.type().flat().size(); part > 0; part--) {
        var numbers = summaries.get(array);
        boolean named = names.size() == numbers.size();
        for (int i = 0; i < numbers.size(); i++) {
          var of = named ? names.get(i) : String.join(", ", names);
          var column = named || numbers.size() == 1 ? of : of + " [" + i + "]";
          columns.add(column(p.name(), column, numbers.get(i)));
        }
        array++;
      }
    }
    return new TrainEvent.Data(data.rows(), read.dropped(), columns);
  }

  private static TrainEvent.Column column(String parameter, String name, ColumnSummary.Numbers n) {
    return new TrainEvent.Column(parameter, name, n.nans(), n.least(), n.greatest(), n.mean());
  }

  /**
   * Compares what a model predicts with what it should.
   *
   * @param label the parameter that has what it should predict
   * @param where what the rows are called
   */
  static TrainEvent.Fit fit(
      Trainer trainer, List<Value> model, String label, String where, JobData data, long seed) {
    var columns = data.sample(ROWS, seed);
    var expected = (ArrayValue) columns.get(trainer.arrayOf(label));
    var predicted = (ArrayValue) trainer.predicted(model, columns).getFirst();
    var pairs = new ArrayList<List<Double>>();
    for (long i = 0; i < expected.count(); i++) {
      pairs.add(List.of(number(expected, i), number(predicted, i)));
    }
    var numbers = new TreeSet<Double>();
    pairs.forEach(numbers::addAll);
    boolean whole = numbers.stream().allMatch(x -> x == Math.rint(x) && Math.abs(x) < 1e15);
    // The numbers 0 and -0 are one class.
    var classes = numbers.stream().map(Double::longValue).distinct().toList();
    return whole && classes.size() <= CLASSES
        ? confusion(label, where, classes, pairs)
        : new TrainEvent.Fit(label, where, pairs.size(), List.of(), List.of(), some(pairs));
  }

  private static double number(ArrayValue array, long i) {
    return array.elem().toDouble(array.bits(i));
  }

  private static TrainEvent.Fit confusion(
      String label, String where, List<Long> classes, List<List<Double>> pairs) {
    var counts = new ArrayList<List<Long>>();
    for (long expected : classes) {
      var row = new ArrayList<Long>();
      for (long predicted : classes) {
        row.add(
            pairs.stream()
                .filter(p -> p.getFirst() == expected && p.getLast() == predicted)
                .count());
      }
      counts.add(row);
    }
    return new TrainEvent.Fit(label, where, pairs.size(), classes, counts, List.of());
  }

  private static List<List<Double>> some(List<List<Double>> pairs) {
    var some = new ArrayList<List<Double>>();
    int every = Math.ceilDiv(pairs.size(), POINTS);
    for (int i = 0; i < pairs.size(); i += every) {
      some.add(pairs.get(i));
    }
    return some;
  }
}
