package dev.kenaz.jobs.bench;

import dev.kenaz.distribute.Cuts;
import dev.kenaz.distribute.LocalPieces;
import dev.kenaz.distribute.PlanRunner;
import dev.kenaz.distribute.StageExecutor;
import dev.kenaz.options.Backend;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.spark.DataCheck;
import dev.kenaz.spark.ShardSource;
import dev.kenaz.spark.SourceText;
import dev.kenaz.spark.SparkEngine;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * Measures what Spark adds to a computation: the time of a stage with almost no work, and that of
 * an iteration of logistic regression.
 *
 * @param repeats how often each thing is measured, after as many runs to warm up
 * @param say takes lines for the user
 */
public record SparkCost(int repeats, Consumer<String> say) {
  private static final int WIDTH = 16;
  private static final String PROGRAM =
      """
      def cost [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : f64 =
        f64.sum (map2 (\\x y -> f64.log (1 + f64.exp (-y * f64.sum (map2 (*) w x)))) xs ys)
        / f64.i64 n

      entry iteration [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64) : (f64, [d]f64) =
        vjp2 (cost xs ys) w 1
      """;

  /** Random points of two classes, which executors make by themselves. */
  private record Points(long rows, int shards) implements ShardSource {
    @Override
    public String key() {
      return "kenaz bench points " + rows + "/" + shards;
    }

    @Override
    public List<Value> load(int shard) {
      var cuts = Cuts.even(rows, shards);
      int n = Math.toIntExact(cuts.first(shard + 1) - cuts.first(shard));
      var random = new SplittableRandom(shard);
      var xs = ArrayValue.allocate(Prim.F64, n, WIDTH);
      for (long i = 0; i < (long) n * WIDTH; i++) {
        xs.setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextDouble(-1, 1));
      }
      var ys = random.ints(n, 0, 2).mapToDouble(i -> 2 * i - 1).toArray();
      return List.of(ArrayValue.of(Prim.F64, xs, n, WIDTH), ArrayValue.ofDoubles(ys, n));
    }
  }

  /** Measures stages over few rows in so many pieces. */
  public void stages(JavaSparkContext spark, int... pieces) {
    say.accept("ms of a stage over one row a piece, and of an empty job with as many tasks");
    say.accept(String.format(Locale.ROOT, "%10s %10s %10s", "pieces", "stage", "empty job"));
    for (int p : pieces) {
      var stage = iteration(engine(spark, new Points(p, p)));
      var indices = IntStream.range(0, p).boxed().toList();
      Runnable empty = () -> spark.parallelize(indices, p).map(i -> i).collect();
      var ms = medians(stage, empty);
      say.accept(String.format(Locale.ROOT, "%10d %10.1f %10.1f", p, ms[0], ms[1]));
    }
  }

  /** Measures iterations of logistic regression on so many rows of 16 f64. */
  public void iterations(JavaSparkContext spark, int pieces, long... rows) {
    say.accept("ms of an iteration of logistic regression on rows of 16 f64, and of the same");
    say.accept("arithmetic without Spark; and how many ns each further row takes");
    say.accept(
        String.format(
            Locale.ROOT, "%10s %10s %10s %10s", "rows", "iteration", "in memory", "ns a row"));
    double rowsBefore = 0;
    double before = 0;
    for (long n : rows) {
      var ms =
          medians(
              iteration(engine(spark, new Points(n, pieces))),
              iteration(
                  new LocalPieces(
                      new Points(n, 1).load(0), Cuts.even(n, 1), text().caller(cores(spark)))));
      double further = (ms[0] - before) * 1e6 / (n - rowsBefore);
      say.accept(String.format(Locale.ROOT, "%10d %10.1f %10.1f %10.2f", n, ms[0], ms[1], further));
      rowsBefore = n;
      before = ms[0];
    }
  }

  private static int cores(JavaSparkContext spark) {
    return Math.min(spark.defaultParallelism(), Runtime.getRuntime().availableProcessors());
  }

  private static SourceText text() {
    return new SourceText(
        ProgramSource.of("logistic.fut", PROGRAM), "iteration", Set.of(0, 1), Backend.JVM);
  }

  private static SparkEngine engine(JavaSparkContext spark, ShardSource source) {
    var runner = new SparkRunner(spark, source, SparkStart.cacheBytes(spark));
    return new SparkEngine(runner, text(), DataCheck.of(runner).rowsOfShards());
  }

  /** Returns what does an iteration, each with other parameters than the one before. */
  private static Runnable iteration(StageExecutor engine) {
    var text = text();
    var runner = new PlanRunner(text.plan(), engine, text.caller(1));
    var w = new double[WIDTH];
    return () -> {
      w[0] += 0.01;
      runner.run(text.plan().arguments(List.of(), List.of(ArrayValue.ofDoubles(w, WIDTH))));
    };
  }

  /** Returns the median milliseconds of both; they take turns, so that both have the same noise. */
  private double[] medians(Runnable a, Runnable b) {
    var times = new double[2][repeats];
    for (int i = -repeats; i < repeats; i++) {
      double first = milliseconds(a);
      double second = milliseconds(b);
      if (i >= 0) {
        times[0][i] = first;
        times[1][i] = second;
      }
    }
    return Arrays.stream(times).mapToDouble(Clock::median).toArray();
  }

  private static double milliseconds(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1e6;
  }
}
