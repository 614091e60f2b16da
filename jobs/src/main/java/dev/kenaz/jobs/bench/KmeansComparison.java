package dev.kenaz.jobs.bench;

import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.jobs.train.JobData;
import dev.kenaz.jobs.train.Steps;
import dev.kenaz.jobs.train.Trainer;
import dev.kenaz.jobs.train.Training;
import dev.kenaz.spark.ArrowShards;
import dev.kenaz.spark.DataCheck;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Compares k-means by Kenaz with that by MLlib. Both use the same rows, cached in the same
 * executors, and do equally many iterations. The best of several seeds counts, by the same exact
 * cost for both.
 *
 * @param k how many centres there are
 * @param iterations how many iterations each training does
 * @param seeds how many trainings each side does
 * @param say takes lines for the user
 */
public record KmeansComparison(int k, int iterations, int seeds, Consumer<String> say) {

  /**
   * One side's result.
   *
   * @param cost the exact cost of the best seed
   * @param seconds the time of an iteration: the median of the medians of trainings
   * @param cpu the same in CPU time of this process, executors in it included
   */
  public record Side(double cost, double seconds, double cpu) {
    static Side of(double cost, List<Clock.Seconds> trainings) {
      var median = Clock.median(trainings);
      return new Side(cost, median.wall(), median.cpu());
    }
  }

  /** The results of both sides. */
  public record Comparison(Side kenaz, Side mllib) {}

  /**
   * Runs both sides.
   *
   * @param trainers gives what trains the centres, for a seed
   */
  public Comparison run(
      JavaSparkContext spark, ArrowShards shards, LongFunction<Trainer> trainers, long cache) {
    var runner = new SparkRunner(spark, shards, cache);
    var check = DataCheck.of(runner);
    say.accept(
        String.format(
            Locale.ROOT,
            "%,d rows of %d numbers, k %d, %d iterations, %d partitions on %s",
            check.rows(),
            shards.width(),
            k,
            iterations,
            shards.shards(),
            spark.master()));
    var kenaz = kenaz(runner, check, shards, trainers);
    var mllib = mllib(spark, runner, shards);
    var comparison = new Comparison(kenaz, mllib);
    report(comparison);
    return comparison;
  }

  private Side kenaz(
      SparkRunner runner, DataCheck check, ArrowShards shards, LongFunction<Trainer> trainers) {
    var shape = new long[] {check.rows(), shards.width()};
    var cuts = List.of(Cuts.ofRows(check.rowsOfShards()));
    var data = new JobData(runner, cuts, List.of(shape), RowLayout.ROWS);
    double best = Double.POSITIVE_INFINITY;
    var trainings = new ArrayList<Clock.Seconds>();
    for (int seed = 1; seed <= seeds; seed++) {
      try (var trainer = trainers.apply(seed)) {
        var timed = new Timed(trainer.on(data), new ArrayList<>());
        var end =
            new Training(
                    iterations, 0, 0, Optional.empty(), Optional.empty(), 0, s -> {}, line -> {})
                .run(timed, trainer.init(data));
        var centres = ((ArrayValue) trainer.model(end).getFirst()).toDoubleArray();
        double cost = ExactCost.of(runner, centres, k);
        best = Math.min(best, cost);
        trainings.add(Clock.median(timed.seconds));
        line("kenaz", seed, cost, trainings.getLast());
      }
    }
    return Side.of(best, trainings);
  }

  /** Steps that note how long they take. */
  private record Timed(Steps steps, List<Clock.Seconds> seconds) implements Steps {
    private Place timed(Supplier<Place> work) {
      var start = Clock.now();
      var result = work.get();
      seconds.add(Clock.now().since(start));
      return result;
    }

    @Override
    public Place start(List<Value> model) {
      return timed(() -> steps.start(model));
    }

    @Override
    public Place next(int number, Place from, List<Value> like) {
      return timed(() -> steps.next(number, from, like));
    }

    @Override
    public boolean hasLoss() {
      return steps.hasLoss();
    }

    @Override
    public long rows() {
      return steps.rows();
    }
  }

  private Side mllib(JavaSparkContext spark, SparkRunner runner, ArrowShards shards) {
    double best = Double.POSITIVE_INFINITY;
    var trainings = new ArrayList<Clock.Seconds>();
    try (var peer = new MllibKmeans(spark, shards)) {
      for (int seed = 1; seed <= seeds; seed++) {
        var end = peer.train(k, iterations, seed);
        double cost = ExactCost.of(runner, end.centres(), k);
        best = Math.min(best, cost);
        trainings.add(end.seconds());
        line("mllib", seed, cost, end.seconds());
      }
    }
    return Side.of(best, trainings);
  }

  private void line(String side, int seed, double cost, Clock.Seconds seconds) {
    say.accept(
        String.format(
            Locale.ROOT,
            "  %s  seed %d  cost %.6e  iteration %.4f s, CPU %.4f s",
            side,
            seed,
            cost,
            seconds.wall(),
            seconds.cpu()));
  }

  private void report(Comparison c) {
    say.accept(
        String.format(
            Locale.ROOT,
            """
                             %16s %16s %16s
            cost             %16.6e %16.6e %16.4f
            s/iteration      %16.4f %16.4f %16.2f
            CPU s/iteration  %16.4f %16.4f %16.2f\
            """,
            "kenaz",
            "mllib",
            "kenaz/mllib",
            c.kenaz.cost,
            c.mllib.cost,
            c.kenaz.cost / c.mllib.cost,
            c.kenaz.seconds,
            c.mllib.seconds,
            c.kenaz.seconds / c.mllib.seconds,
            c.kenaz.cpu,
            c.mllib.cpu,
            c.kenaz.cpu / c.mllib.cpu));
  }
}
