package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.util.List;

/** A compiled stage. Safe for use by several tasks at once. */
public interface Stage {
  /**
   * The partial result of one shard.
   *
   * @param shard the shard's arrays; may have no rows
   * @param replicated the same values for every shard
   * @param cores how many threads it may keep busy
   */
  List<Value> local(List<Value> shard, List<Value> replicated, int cores);

  /**
   * The partial result of two adjacent stretches of shards. Associative; the order of shards is
   * kept.
   */
  List<Value> combine(List<Value> left, List<Value> right);
}
