package dev.kenaz.spark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Knows which executor has which shard in memory. */
final class ShardPlaces {
  private final Map<Integer, Outcome.Place> known = new HashMap<>();

  /** How many shards executors had that aren't there any more. */
  private final Map<String, Integer> lost = new HashMap<>();

  synchronized void update(List<Outcome.Place> places) {
    places.forEach(p -> known.put(p.shard(), p));
  }

  /**
   * Returns for each shard the location that should work on it, in Spark's notation, or "". If some
   * executors have no shards, because they came later, the others give up what is more than their
   * share.
   *
   * @param executors the executors that are there; empty if that isn't known
   */
  synchronized List<String> locations(int shards, Set<String> executors) {
    if (!executors.isEmpty()) {
      known.values().removeIf(p -> isLost(p, executors));
    }
    long busy = known.values().stream().map(Outcome.Place::executor).distinct().count();
    int share = busy < executors.size() ? Math.ceilDiv(shards, executors.size()) : shards;
    var given = new HashMap<String, Integer>();
    var list = new ArrayList<String>();
    for (int i = 0; i < shards; i++) {
      var place = known.get(i);
      boolean stays = place != null && given.merge(place.executor(), 1, Integer::sum) <= share;
      list.add(stays ? place.location() : "");
    }
    return list;
  }

  private boolean isLost(Outcome.Place place, Set<String> executors) {
    boolean isLost = !executors.contains(place.executor());
    if (isLost) {
      lost.merge(place.executor(), 1, Integer::sum);
    }
    return isLost;
  }

  /** Returns how many shards an executor has, or had when it was lost. */
  synchronized int of(String executor) {
    long now = known.values().stream().filter(p -> p.executor().equals(executor)).count();
    return (int) now + lost.getOrDefault(executor, 0);
  }
}
