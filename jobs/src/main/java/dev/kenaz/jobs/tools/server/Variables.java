package dev.kenaz.jobs.tools.server;

import dev.kenaz.error.NearestName;
import dev.kenaz.jobs.tools.Item;
import dev.kenaz.jobs.tools.ToolFault;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** These are the variables of a session. A consumed one keeps its name until it is freed. */
final class Variables {
  private record Slot(Item item, boolean consumed) {}

  /**
   * When so many bytes are released, a garbage collection is worth its time: the collector doesn't
   * know how large values are.
   */
  private static final long COLLECT = 512L << 20;

  private final Map<String, Slot> slots = new HashMap<>();
  private final Consumer<Value> release;
  private long released;

  /**
   * @param release takes the values that no variable has any more
   */
  Variables(Consumer<Value> release) {
    this.release = release;
  }

  private Slot slot(String name) {
    var slot = slots.get(name);
    if (slot == null) {
      throw ToolFault.name("unknown variable: " + name, NearestName.hint(name, slots.keySet()));
    }
    return slot;
  }

  Item get(String name) {
    var slot = slot(name);
    if (slot.consumed()) {
      throw ToolFault.name("variable was consumed: " + name);
    }
    return slot.item();
  }

  List<Item> get(List<String> names) {
    return names.stream().map(this::get).toList();
  }

  /** Throws if one of the names is taken, or is there twice. */
  void requireFree(List<String> names) {
    var seen = new HashSet<String>();
    for (var name : names) {
      if (slots.containsKey(name) || !seen.add(name)) {
        throw ToolFault.name("variable already exists: " + name);
      }
    }
  }

  void put(String name, Item item) {
    requireFree(List.of(name));
    slots.put(name, new Slot(item, false));
  }

  /** Adds all variables or, if one of them can't be added, none. */
  void put(List<String> names, List<Item> items) {
    requireFree(names);
    for (int i = 0; i < names.size(); i++) {
      put(names.get(i), items.get(i));
    }
  }

  void replace(String name, Item item) {
    var before = get(name);
    slots.put(name, new Slot(item, false));
    release(before);
  }

  /** Consumes a variable: its memory is released, and its name stays. */
  void consume(String name) {
    var type = slot(name).item().type();
    var item = slot(name).item();
    slots.put(name, new Slot(new Item(type, List.of()), true));
    release(item);
  }

  void free(List<String> names) {
    names.forEach(this::slot);
    names.forEach(
        n -> {
          var slot = slots.remove(n);
          if (slot != null) {
            release(slot.item());
          }
        });
    if (released > COLLECT) {
      released = 0;
      System.gc();
    }
  }

  private void release(Item item) {
    for (var v : item.flat()) {
      if (v instanceof ArrayValue a) {
        released += ArrayValue.byteSize(a.prim(), a.shape());
        if (!held(a)) {
          release.accept(a);
        }
      }
    }
  }

  /** Whether a variable has the array: a record and its fields share arrays. */
  private boolean held(ArrayValue array) {
    return slots.values().stream()
        .anyMatch(s -> s.item().flat().stream().anyMatch(v -> v == array));
  }

  void rename(String from, String to) {
    var item = get(from);
    put(to, item);
    slots.remove(from);
  }
}
