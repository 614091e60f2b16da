package dev.kenaz.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Counts how often an application has computed pieces of data by programs for GPUs: on GPUs, and on
 * the processors of executors without one. A piece counts each time that a task has computed it.
 */
public record GpuPieces(LongAccumulator onGpus, LongAccumulator onProcessors)
    implements Serializable {
  private static final Map<SparkContext, GpuPieces> ALL = new WeakHashMap<>();

  /** Returns the counters of an application. Spark shows no accumulators without names. */
  static GpuPieces of(SparkContext spark) {
    synchronized (ALL) {
      return ALL.computeIfAbsent(spark, _ -> new GpuPieces(counter(spark), counter(spark)));
    }
  }

  private static LongAccumulator counter(SparkContext spark) {
    var counter = new LongAccumulator();
    spark.register(counter);
    return counter;
  }

  /** Counts a piece, in a task. */
  void add(boolean onGpu) {
    (onGpu ? onGpus : onProcessors).add(1);
  }

  /** What was counted at a time. */
  public record Count(long onGpus, long onProcessors) {
    /** Returns what an application has counted so far. */
    public static Count of(SparkContext spark) {
      var all = GpuPieces.of(spark);
      return new Count(all.onGpus.sum(), all.onProcessors.sum());
    }

    /** Returns what was counted since then. */
    public Count since(Count before) {
      return new Count(onGpus - before.onGpus, onProcessors - before.onProcessors);
    }
  }
}
