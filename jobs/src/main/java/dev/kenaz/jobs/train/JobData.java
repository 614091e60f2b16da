package dev.kenaz.jobs.train;

import static dev.kenaz.error.ErrorCode.K7302;

import dev.kenaz.arrow.ParameterData;
import dev.kenaz.arrow.RowLayout;
import dev.kenaz.distribute.Cuts;
import dev.kenaz.error.UserError;
import dev.kenaz.spark.DrawnRows;
import dev.kenaz.spark.OpenedData;
import dev.kenaz.spark.RowPick;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.spark.SparkStart;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;

/**
 * The data of a job, which executors keep in shards.
 *
 * @param cuts which rows each shard has of each dataset
 * @param shapes of the columns; their number of rows doesn't matter
 * @param layout which columns have elements of lists
 */
public record JobData(SparkRunner runner, List<Cuts> cuts, List<long[]> shapes, RowLayout layout) {
  /**
   * Cuts data into shards.
   *
   * @param partitions how many are wanted, if that is said
   * @param few whether there are as few as the sizes of shards allow otherwise, rather than one for
   *     each core
   */
  static JobData of(
      JavaSparkContext spark, OpenedData opened, OptionalInt partitions, boolean few) {
    var data = opened.columns();
    int shards = partitions.orElse(Math.max(1, spark.defaultParallelism()));
    boolean free = few && partitions.isEmpty();
    var cuts =
        free ? data.pieces(OptionalInt.empty(), 1) : data.pieces(OptionalInt.of(shards), shards);
    var runner = new SparkRunner(spark, opened.shards(cuts), SparkStart.cacheBytes(spark));
    return new JobData(runner, data.kept(cuts), data.shapes(), data.layout());
  }

  /**
   * Requires that there are rows.
   *
   * @param name what messages call the data
   * @param purpose what the rows are for
   * @throws UserError K7302 if there are none
   */
  static void requireRows(ParameterData data, String name, String purpose) {
    if (data.kept().contains(0L)) {
      boolean rows = data.kept().stream().anyMatch(k -> k > 0);
      throw new UserError(
          K7302,
          name
              + (rows
                  ? " has rows whose lists are all empty"
                  : data.dropped() == 0 ? " has no rows" : " has no rows without nulls"),
          "there is nothing to " + purpose);
    }
  }

  /**
   * Returns some of the rows, in the same shards.
   *
   * @param uses how many such datasets take rows of these shards
   */
  JobData drawn(DrawnRows rows, int uses) {
    var taken = RowPick.cuts(runner, rows, cuts, layout);
    return new JobData(runner.over(rows, rowCuts(), layout, uses), taken, shapes, layout);
  }

  /** Returns how many rows there are. */
  long rows() {
    return rowCuts().rows();
  }

  private Cuts rowCuts() {
    return cuts.get(layout.rows());
  }

  /**
   * Draws rows without repetition. The same seed draws the same ones, whatever the shards are.
   *
   * @return for each column an array
   */
  List<Value> sample(long count, long seed) {
    return RowPick.rows(runner, drawn(count, seed), rowCuts(), layout);
  }

  private long[] drawn(long count, long seed) {
    if (count >= rows()) {
      return LongStream.range(0, rows()).toArray();
    }
    var random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    var drawn = new TreeSet<Long>();
    while (drawn.size() < count) {
      drawn.add(random.nextLong(rows()));
    }
    return drawn.stream().mapToLong(i -> i).toArray();
  }
}
