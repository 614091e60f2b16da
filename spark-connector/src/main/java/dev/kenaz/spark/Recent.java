package dev.kenaz.spark;

import java.util.LinkedHashMap;
import java.util.function.Supplier;

/**
 * What was made and used last, by keys. A process that runs ever new programs doesn't keep them
 * all: what was not used for the longest time is made again if it is needed. Several threads may
 * use it at once; nothing is made twice at the same time.
 */
public final class Recent<K, V> {
  private final int most;
  private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(16, 0.75f, true);

  private static final class Entry<V> {
    private V value;

    synchronized V get(Supplier<V> made) {
      if (value == null) {
        value = made.get();
      }
      return value;
    }
  }

  /**
   * @param most how many values are kept
   */
  public Recent(int most) {
    this.most = most;
  }

  public V get(K key, Supplier<V> made) {
    Entry<V> entry;
    synchronized (this) {
      entry = entries.computeIfAbsent(key, _ -> new Entry<>());
      if (entries.size() > most) {
        entries.pollFirstEntry();
      }
    }
    return entry.get(made);
  }

  synchronized int size() {
    return entries.size();
  }
}
