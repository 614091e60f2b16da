package dev.kenaz.spark;

import dev.kenaz.value.Value;
import java.io.Serializable;
import java.util.List;

/** A dataset cut into shards, each of which any executor can load. */
public interface ShardSource extends Serializable {
  /** Equal for equal data and cut: executors keep loaded shards under it. */
  String key();

  /** How many shards there are; some may be empty. */
  int shards();

  /** Reads a shard, the same values every time. */
  List<Value> load(int shard);
}
