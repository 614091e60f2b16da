package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;

/** A dataset that is cut into shards. Every executor can load each of them. */
public interface ShardSource extends Serializable {
  /**
   * Returns a key, which is equal for equal data in equal shards. Executors keep loaded shards by
   * it.
   */
  String key();

  /** Returns how many shards there are; some may be empty. */
  int shards();

  /**
   * Returns where a shard should be loaded for the first time, in Spark's notation of locations, or
   * "". Only the driver asks.
   */
  default String place(int shard) {
    return "";
  }

  /** Reads a shard; it has the same values every time. */
  List<Value> load(int shard);

  /**
   * Returns what a user is told of a row: where it is, and what it has.
   *
   * @param row its number in the shard
   * @param values the arrays of the shard, with this row alone
   */
  default Optional<String> row(int shard, long row, List<ArrayValue> values) {
    return Optional.empty();
  }
}
