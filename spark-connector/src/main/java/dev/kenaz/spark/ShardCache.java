package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import dev.kenaz.value.Value;
import java.util.LinkedHashMap;
import java.util.List;
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

  private final LinkedHashMap<Key, CompletableFuture<List<Value>>> entries =
      new LinkedHashMap<>(16, 0.75f, true);

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
    } catch (RuntimeException | Error e) {
      mine.completeExceptionally(e);
      forget(key);
      throw e;
    }
    evict(key, bound);
    return new Found(mine.join(), true);
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
      }
    }
  }

  private static long bytes(CompletableFuture<List<Value>> entry) {
    if (!entry.isDone() || entry.isCompletedExceptionally()) {
      return 0;
    }
    return entry.join().stream().mapToLong(v -> ArrayValue.byteSize(v.prim(), v.shape())).sum();
  }

  synchronized int size() {
    return entries.size();
  }

  synchronized void clear() {
    entries.clear();
  }
}
