package dev.kenaz.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The shards of one task.
 *
 * @param index the number of the task in its job
 * @param shards their indices, in ascending order
 * @param place the location that has them in memory, in Spark's notation, or ""
 */
record ShardGroup(int index, int[] shards, String place) implements Serializable {
  /** Returns the same with another number. */
  ShardGroup numbered(int number) {
    return new ShardGroup(number, shards, place);
  }

  /**
   * Divides shards among about so many tasks. A task has shards of one place only, and neighbours
   * where possible.
   *
   * @param places where each shard is, or ""
   */
  static List<ShardGroup> of(List<String> places, int tasks) {
    var shardsOfPlaces = new LinkedHashMap<String, List<Integer>>();
    for (int i = 0; i < places.size(); i++) {
      shardsOfPlaces.computeIfAbsent(places.get(i), _ -> new ArrayList<>()).add(i);
    }
    int most = Math.ceilDiv(places.size(), tasks);
    var groups = new ArrayList<ShardGroup>();
    shardsOfPlaces.forEach(
        (place, shards) -> {
          int n = shards.size();
          int parts = Math.ceilDiv(n, most);
          for (int p = 0; p < parts; p++) {
            var mine = IntStream.range(p * n / parts, (p + 1) * n / parts).map(shards::get);
            groups.add(new ShardGroup(groups.size(), mine.toArray(), place));
          }
        });
    return groups;
  }
}
