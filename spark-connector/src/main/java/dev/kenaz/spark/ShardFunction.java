package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.util.List;

/**
 * A compiled function of a shard, and how its results for two stretches of shards are combined.
 * Several tasks may call it at once.
 */
public interface ShardFunction {
  /**
   * The partial result of one shard.
   *
   * @param shard its index
   * @param values the shard's arrays; may have no rows
   * @param replicated the same values for every shard
   * @param cores how many threads it may keep busy
   */
  List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores);

  /**
   * The partial result of two adjacent stretches of shards. Associative; the order of shards is
   * kept.
   *
   * @param replicated as in {@link #local}
   */
  List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated);
}
