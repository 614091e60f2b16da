package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.List;

/**
 * Receives results that are as long as a dataset: each executor has the rows of its shards. It runs
 * on executors, and it runs again for a shard if Spark repeats its task.
 */
public interface RowSink extends Serializable {
  /** Returns a key, which is equal for sinks that do the same. */
  String key();

  /**
   * Takes a shard's rows.
   *
   * @param stage the number of the stage that keeps the rows
   * @param parts an array for each result; all have the same number of rows
   * @return arrays that travel to the driver, where those of all shards are concatenated; there are
   *     equally many for each shard
   */
  List<Value> take(int stage, int shard, List<Value> parts);

  /** Brings all rows to the driver. */
  RowSink COLLECT = new Collect();

  /** Brings the rows to the driver. */
  record Collect() implements RowSink {
    @Override
    public String key() {
      return "collect";
    }

    @Override
    public List<Value> take(int stage, int shard, List<Value> parts) {
      return parts;
    }
  }
}
