package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.stream.LongStream;

/** The numbers 0 to n - 1, cut evenly; with fewer numbers than shards some are empty. */
record Numbers(int n, int shards) implements ShardSource {
  @Override
  public String key() {
    return "numbers " + n + "/" + shards;
  }

  @Override
  public List<Value> load(int shard) {
    long from = (long) n * shard / shards;
    long to = (long) n * (shard + 1) / shards;
    var xs = LongStream.range(from, to).mapToDouble(i -> i).toArray();
    return List.of(ArrayValue.ofDoubles(xs, xs.length));
  }
}
