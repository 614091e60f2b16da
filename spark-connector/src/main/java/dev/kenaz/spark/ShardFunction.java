package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.util.List;

/**
 * A compiled function of a shard, and the function that combines its results for two stretches of
 * shards. Several tasks may call it at once.
 */
public interface ShardFunction {
  /**
   * Returns the partial result of one shard.
   *
   * @param shard the index of the shard
   * @param values the shard's arrays, which may have no rows
   * @param replicated the values that are the same for every shard
   * @param cores how many threads the call may keep busy
   */
  List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores);

  /**
   * Returns the partial result of two adjacent stretches of shards. This operation is associative,
   * and the order of the shards is kept.
   *
   * @param replicated the same values as in {@link #local}
   */
  List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated);
}
