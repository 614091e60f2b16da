package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import dev.kenaz.value.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Keeps the shards that this process has loaded between tasks, up to a number of bytes. The shard
 * that was not used for the longest time is dropped first. A lost shard costs time only: it is
 * loaded again.
 */
final class ShardCache {
  /** The cache of this executor, which all its tasks share. */
  static final ShardCache OF_PROCESS = new ShardCache();

  static {
    NativeLimit.whenScarce(OF_PROCESS::clear);
  }

  record Key(String source, int shard) {}

  /** So many shards are remembered that were read. */
  private static final int REMEMBERED = 1 << 18;

  private final LinkedHashMap<Key, CompletableFuture<List<Value>>> entries =
      new LinkedHashMap<>(16, 0.75f, true);

  /** Shards that were read, by a hash of their keys: the keys themselves are long texts. */
  private final Set<Long> readBefore = new HashSet<>();

  /** How many rows of a part of a table are in shards already. */
  private final Map<Key, Long> taken = new HashMap<>();

  private long evictions;
  private long readAgain;

  /** A shard, and whether it had to be loaded. */
  record Found(List<Value> values, boolean loaded) {}

  Found get(ShardSource source, int shard, long bound) {
    var key = new Key(source.key(), shard);
    var mine = new CompletableFuture<List<Value>>();
    CompletableFuture<List<Value>> there;
    synchronized (this) {
      there = entries.putIfAbsent(key, mine);
    }
    if (there != null) {
      return new Found(join(there), false);
    }
    try {
      mine.complete(source.load(shard));
    } catch (Throwable e) { // Spark throws checked exceptions that it does not declare.
      mine.completeExceptionally(e);
      forget(key);
      throw e;
    }
    noteRead(key);
    evict(key, bound);
    return new Found(mine.join(), true);
  }

  /**
   * Notes that rows of a part of a table are in a shard now. A part whose rows all are in all
   * shards that want them is dropped, so that they aren't there twice.
   *
   * @param all how many rows shards want of the part
   */
  synchronized void take(ShardSource table, int part, long rows, long all) {
    var key = new Key(table.key(), part);
    if (taken.merge(key, rows, Long::sum) >= all) {
      taken.remove(key);
      entries.remove(key);
    }
  }

  private static List<Value> join(CompletableFuture<List<Value>> loading) {
    try {
      return loading.join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case RuntimeException r -> throw r;
        case Error r -> throw r;
        default -> throw e;
      }
    }
  }

  private synchronized void forget(Key key) {
    entries.remove(key);
    taken.remove(key);
  }

  /** Drops the oldest shards until the rest fits; the newest is never dropped, as it is in use. */
  private synchronized void evict(Key newest, long bound) {
    long total = entries.values().stream().mapToLong(ShardCache::bytes).sum();
    var oldest = entries.entrySet().iterator();
    while (total > bound && oldest.hasNext()) {
      var entry = oldest.next();
      if (!entry.getKey().equals(newest) && entry.getValue().isDone()) {
        total -= bytes(entry.getValue());
        oldest.remove();
        taken.remove(entry.getKey());
        evictions++;
      }
    }
  }

  private static long bytes(CompletableFuture<List<Value>> entry) {
    return !entry.isDone() || entry.isCompletedExceptionally() ? 0 : bytes(entry.join());
  }

  /** Returns how large a shard is. */
  static long bytes(List<Value> shard) {
    return shard.stream().mapToLong(v -> ArrayValue.byteSize(v.prim(), v.shape())).sum();
  }

  /** Returns how many bytes are kept now. */
  synchronized long bytes() {
    return entries.values().stream().mapToLong(ShardCache::bytes).sum();
  }

  /** Returns how many shards were dropped so far because others needed the room. */
  synchronized long evictions() {
    return evictions;
  }

  /** Returns how many shards were read so far that this process had read before. */
  synchronized long readAgain() {
    return readAgain;
  }

  private synchronized void noteRead(Key key) {
    long hash = (long) key.source().hashCode() << 32 | key.shard();
    if (!readBefore.add(hash)) {
      readAgain++;
    } else if (readBefore.size() > REMEMBERED) {
      readBefore.remove(readBefore.iterator().next());
    }
  }

  synchronized int size() {
    return entries.size();
  }

  synchronized void clear() {
    evictions += entries.size();
    entries.clear();
    taken.clear();
  }
}
