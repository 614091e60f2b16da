package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/** Points {@code [n][d]f64} and keys {@code [n]i64}, cut where asked: stretches may be empty. */
record CutColumns(double[] points, int d, long[] keys, int[] cuts) implements ShardSource {
  @Override
  public String key() {
    return Arrays.hashCode(points) + " " + Arrays.hashCode(keys) + " " + Arrays.toString(cuts);
  }

  @Override
  public int shards() {
    return cuts.length - 1;
  }

  @Override
  public List<Value> load(int shard) {
    int from = cuts[shard];
    int to = cuts[shard + 1];
    return List.of(
        ArrayValue.ofDoubles(Arrays.copyOfRange(points, from * d, to * d), to - from, d),
        ArrayValue.ofLongs(Arrays.copyOfRange(keys, from, to), to - from));
  }

  List<Value> whole() {
    return new CutColumns(points, d, keys, new int[] {0, keys.length}).load(0);
  }

  long[] rowsOfShards() {
    var rows = new long[shards()];
    Arrays.setAll(rows, i -> cuts[i + 1] - cuts[i]);
    return rows;
  }
}
