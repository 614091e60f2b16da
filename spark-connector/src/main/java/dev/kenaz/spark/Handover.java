package dev.kenaz.spark;

import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the driver and tasks in its own process hand to each other as it is. Spark would write and
 * read it several times, even where both are in one process. In other processes there is nothing
 * under the driver's keys.
 */
final class Handover {
  private static final UUID PROCESS = UUID.randomUUID();
  private static final AtomicLong NUMBERS = new AtomicLong();

  /** An object is there as long as somebody has the key that {@link #put} returned. */
  private static final Map<Key, Object> OBJECTS = Collections.synchronizedMap(new WeakHashMap<>());

  private Handover() {}

  /** The key of an object; copies of it, as tasks have them, are equal to it. */
  record Key(UUID process, long number) implements Serializable {}

  static Key put(Object object) {
    var key = new Key(PROCESS, NUMBERS.getAndIncrement());
    OBJECTS.put(key, object);
    return key;
  }

  /** Returns the object, if it is in this process and hasn't been removed. */
  static <T> Optional<T> get(Key key, Class<T> type) {
    return Optional.ofNullable(type.cast(OBJECTS.get(key)));
  }

  static void remove(Key key) {
    OBJECTS.remove(key);
  }
}
