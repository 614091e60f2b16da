package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.List;

/**
 * Receives results that are as long as the dataset: each executor has the rows of its shards. It
 * runs on executors, for a shard as often as Spark repeats its task.
 */
public interface RowSink extends Serializable {
  /** Equal for sinks that do the same. */
  String key();

  /**
   * Takes a shard's rows.
   *
   * @param parts an array a result, all with as many rows
   * @return arrays that travel to the driver, where those of all shards are put one behind the
   *     other; as many for every shard
   */
  List<Value> take(int shard, List<Value> parts);

  /** Brings all rows to the driver: at most 2 GiB of each result. */
  RowSink COLLECT = new Collect();

  /** Brings the rows to the driver. */
  record Collect() implements RowSink {
    @Override
    public String key() {
      return "collect";
    }

    @Override
    public List<Value> take(int shard, List<Value> parts) {
      return parts;
    }
  }
}
