package dev.kenaz.jobs.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import dev.kenaz.jobs.config.TrainConfig;
import dev.kenaz.jobs.train.Trainer;
import dev.kenaz.spark.Lockstep;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Compares models that share their passes over the data with the same models, one after the other.
 * A time is that of all iterations; the first models are there.
 *
 * @param models how many there are: of logistic regression with other penalties, of others with
 *     other seeds
 * @param partitions in how many shards the rows are
 * @param repeats how many times all are trained in each way
 * @param scale the part of the rows that is taken
 * @param cached whether executors keep the rows; otherwise each pass makes them again
 * @param say takes lines for the user
 */
public record TogetherComparison(
    int models, int partitions, int repeats, double scale, boolean cached, Consumer<String> say) {

  /**
   * The results of a case.
   *
   * @param one the time of one model
   * @param apart that of all models, one after the other
   * @param together that of all models together
   */
  public record Row(
      TrainingComparison.Case training,
      long rows,
      Clock.Seconds one,
      Clock.Seconds apart,
      Clock.Seconds together) {}

  /** Runs cases. */
  public List<Row> run(JavaSparkContext spark, List<TrainingComparison.Case> cases) {
    say.accept(
        String.format(
            Locale.ROOT,
            "%-11s %10s %9s %9s %10s %8s %8s %8s",
            "training",
            "rows",
            "one s",
            models + " s",
            "together s",
            "of one",
            "of " + models,
            "its CPU"));
    var rows = new ArrayList<Row>();
    for (var c : cases) {
      rows.add(run(spark, c));
      say.accept(line(rows.getLast()));
    }
    return rows;
  }

  private String line(Row r) {
    return String.format(
        Locale.ROOT,
        "%-11s %,10d %9.3f %9.3f %10.3f %8.2f %8.2f %8.2f",
        r.training,
        r.rows,
        r.one.wall(),
        r.apart.wall(),
        r.together.wall(),
        r.together.wall() / r.one.wall(),
        r.together.wall() / r.apart.wall(),
        r.together.cpu() / r.apart.cpu());
  }

  private List<TrainConfig> configs(TrainingComparison.Case c) {
    boolean grid = c == TrainingComparison.Case.LOGISTIC;
    IntFunction<JsonNode> value = i -> grid ? DoubleNode.valueOf(1e-3 * i) : LongNode.valueOf(i);
    return c.configs(models, grid ? "parameters.l2" : "seed", value);
  }

  private Row run(JavaSparkContext spark, TrainingComparison.Case c) {
    var source = c.source(scale, partitions);
    var data = TrainingComparison.data(spark, source, cached ? SparkStart.cacheBytes(spark) : 0);
    var configs = configs(c);
    try (var base = Trainer.of(configs.getFirst(), Path.of(""))) {
      var trainers = base.with(configs);
      var works = new ArrayList<Supplier<List<Value>>>();
      for (int i = 0; i < models; i++) {
        var trainer = trainers.get(i);
        var config = configs.get(i);
        var first = trainer.init(data);
        works.add(() -> TrainingComparison.fit(config, trainer, data, first));
      }
      var one = new ArrayList<Clock.Seconds>();
      var apart = new ArrayList<Clock.Seconds>();
      var together = new ArrayList<Clock.Seconds>();
      for (int i = 0; i <= repeats; i++) {
        // The first turn compiles, and loads what executors cache.
        boolean counts = i > 0;
        TrainingComparison.timed(works.getFirst(), counts ? one : new ArrayList<>());
        TrainingComparison.timed(
            () -> works.stream().map(Supplier::get).toList(), counts ? apart : new ArrayList<>());
        TrainingComparison.timed(() -> all(works), counts ? together : new ArrayList<>());
      }
      trainers.forEach(Trainer::close);
      return new Row(
          c, source.rows(), Clock.median(one), Clock.median(apart), Clock.median(together));
    }
  }

  private static List<List<Value>> all(List<Supplier<List<Value>>> works) {
    var ends = Lockstep.run(works, _ -> true);
    for (var end : ends) {
      if (end.failure() != null) {
        throw new IllegalStateException(end.failure());
      }
    }
    return ends.stream().map(Lockstep.End::value).toList();
  }
}
