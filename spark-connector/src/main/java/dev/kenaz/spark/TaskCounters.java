package dev.kenaz.spark;

import dev.kenaz.cuda.runtime.Transfers;
import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Counts what the tasks of a job do, for Spark's page of its stages. Spark adds up what tasks that
 * succeed have counted. A job has counters of its own, because Spark shows their total, and not
 * what was added in the stage.
 */
record TaskCounters(
    LongAccumulator rows,
    LongAccumulator bytesRead,
    LongAccumulator compute,
    LongAccumulator device,
    LongAccumulator toDevice,
    LongAccumulator fromDevice,
    LongAccumulator hits,
    LongAccumulator misses,
    GpuPieces pieces)
    implements Serializable {
  private static final long NANOS_OF_MICROSECOND = 1000;

  static TaskCounters of(SparkContext spark) {
    return new TaskCounters(
        spark.longAccumulator("kenaz: rows"),
        spark.longAccumulator("kenaz: bytes read"),
        spark.longAccumulator("kenaz: µs of computation"),
        spark.longAccumulator("kenaz: µs with a GPU"),
        spark.longAccumulator("kenaz: bytes to GPUs"),
        spark.longAccumulator("kenaz: bytes from GPUs"),
        spark.longAccumulator("kenaz: shards in memory"),
        spark.longAccumulator("kenaz: shards read"),
        GpuPieces.of(spark));
  }

  /**
   * What a part of a task did.
   *
   * @param rows that the program computed with
   * @param bytesRead of shards that were not in memory
   * @param compute nanoseconds in the program
   * @param reading nanoseconds in which shards were read
   * @param device nanoseconds in which the task had a GPU
   * @param copied what it copied to the GPU and back
   * @param hits how many shards were in memory
   * @param misses how many had to be read
   */
  record Amounts(
      long rows,
      long bytesRead,
      long compute,
      long reading,
      long device,
      Transfers copied,
      long hits,
      long misses) {
    private static final Transfers NONE = new Transfers(0, 0);

    /** Returns what it is to get a shard. */
    static Amounts of(ShardCache.Found shard, long nanos) {
      return shard.loaded()
          ? new Amounts(0, ShardCache.bytes(shard.values()), 0, nanos, 0, NONE, 0, 1)
          : new Amounts(0, 0, 0, 0, 0, NONE, 1, 0);
    }

    /** Returns what it is to compute. */
    static Amounts of(long rows, long compute) {
      return new Amounts(rows, 0, compute, 0, 0, NONE, 0, 0);
    }

    /** Returns what it is to compute on a GPU. */
    static Amounts of(long rows, Gpus.Computed<?> done) {
      return new Amounts(rows, 0, done.nanos(), 0, done.nanos(), done.copied(), 0, 0);
    }
  }

  /** Counts what a part of the task that runs in this thread did. */
  void add(Amounts a) {
    add(rows, a.rows);
    add(bytesRead, a.bytesRead);
    add(compute, a.compute / NANOS_OF_MICROSECOND);
    add(device, a.device / NANOS_OF_MICROSECOND);
    add(toDevice, a.copied.to());
    add(fromDevice, a.copied.from());
    add(hits, a.hits);
    add(misses, a.misses);
    ProcessMetrics.add(a);
  }

  private static void add(LongAccumulator to, long amount) {
    if (amount != 0) {
      to.add(amount);
    }
  }
}
