package dev.kenaz.jobs.bench;

import dev.kenaz.distribute.PlanRunner.Caller;
import dev.kenaz.jobs.train.DistributedObjective;
import dev.kenaz.jobs.train.Initialisation;
import dev.kenaz.jobs.train.Optimiser;
import dev.kenaz.jobs.train.TrainState;
import dev.kenaz.jobs.train.Training;
import dev.kenaz.spark.ArrowShards;
import dev.kenaz.spark.DataCheck;
import dev.kenaz.spark.ProgramText;
import dev.kenaz.spark.RowPick;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStages;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * k-means by Kenaz and by MLlib, side by side: the same rows cached in the same executors, as many
 * iterations, the best of several seeds each, both judged by the same exact cost.
 *
 * @param k centres
 * @param iterations of each training
 * @param seeds trainings of each side
 * @param say takes lines for the user
 */
public record KmeansMllib(int k, int iterations, int seeds, Consumer<String> say) {

  /**
   * One side's result.
   *
   * @param cost exact, of the best seed
   * @param seconds of an iteration: the median over trainings, without starting up
   */
  public record Side(double cost, double seconds) {}

  /** Both sides. */
  public record Comparison(Side kenaz, Side mllib) {
    public double costRatio() {
      return kenaz.cost / mllib.cost;
    }

    public double timeRatio() {
      return kenaz.seconds / mllib.seconds;
    }
  }

  /**
   * Runs both.
   *
   * @param program an entry that gives cost, gradient and curvature
   */
  public Comparison run(
      JavaSparkContext spark, ArrowShards shards, ProgramText program, long cache) {
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
    var kenaz = kenaz(runner, check, shards, program);
    var mllib = mllib(spark, runner, shards);
    var comparison = new Comparison(kenaz, mllib);
    report(comparison);
    return comparison;
  }

  private Side kenaz(SparkRunner runner, DataCheck check, ArrowShards shards, ProgramText program) {
    Caller caller = program.caller(1);
    var stages = new SparkStages(runner, program, check.rowsOfShards());
    var objective = new DistributedObjective(program.plan(), stages, caller, shards.elem(), k);
    var rows =
        new Initialisation(
            check.rows(), shards.width(), i -> RowPick.rows(runner, i, check.rowsOfShards()));
    double best = Double.POSITIVE_INFINITY;
    var seconds = new double[seeds];
    for (int seed = 0; seed < seeds; seed++) {
      var start = TrainState.initial(rows.plusPlus(k, seed + 1));
      var end =
          new Training(iterations, 0, 0, s -> {}, line -> {})
              .run(objective, new Optimiser.Newton(1), start);
      double cost = ExactCost.of(runner, end.parameters(), k);
      best = Math.min(best, cost);
      seconds[seed] = median(end.seconds().stream().mapToDouble(s -> s).toArray());
      line("kenaz", seed, cost, seconds[seed]);
    }
    return new Side(best, median(seconds));
  }

  private Side mllib(JavaSparkContext spark, SparkRunner runner, ArrowShards shards) {
    double best = Double.POSITIVE_INFINITY;
    var seconds = new double[seeds];
    try (var peer = new MllibKmeans(spark, shards)) {
      peer.train(k, 2, 0); // compiles what both timings below run
      for (int seed = 0; seed < seeds; seed++) {
        // Initialisation and collection of the summary are in both, so the difference is
        // iterations.
        var one = peer.train(k, 1, seed + 1);
        var all = peer.train(k, iterations, seed + 1);
        double cost = ExactCost.of(runner, all.centres(), k);
        best = Math.min(best, cost);
        seconds[seed] = (all.seconds() - one.seconds()) / Math.max(1, all.iterations() - 1);
        line("mllib", seed, cost, seconds[seed]);
      }
    }
    return new Side(best, median(seconds));
  }

  private void line(String side, int seed, double cost, double seconds) {
    say.accept(
        String.format(
            Locale.ROOT,
            "  %s  seed %d  cost %.6e  %.4f s an iteration",
            side,
            seed + 1,
            cost,
            seconds));
  }

  private void report(Comparison c) {
    say.accept(
        String.format(
            Locale.ROOT,
            """
                         %16s %16s %16s
            cost         %16.6e %16.6e %16.4f
            s/iteration  %16.4f %16.4f %16.2f\
            """,
            "kenaz",
            "mllib",
            "kenaz/mllib",
            c.kenaz.cost,
            c.mllib.cost,
            c.costRatio(),
            c.kenaz.seconds,
            c.mllib.seconds,
            c.timeRatio()));
  }

  private static double median(double[] xs) {
    var sorted = xs.clone();
    java.util.Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
