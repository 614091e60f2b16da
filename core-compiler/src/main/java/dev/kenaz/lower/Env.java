package dev.kenaz.lower;

import dev.kenaz.typing.TypedDef;
import dev.kenaz.typing.VName;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells what names mean: it is a chain of frames, one for each function application whose body is
 * being lowered. Names are unique in the source text, so a frame needs no order and may grow.
 */
final class Env {
  /** What a name may mean. */
  sealed interface Meaning {}

  record OfValue(Static value) implements Meaning {}

  record OfType(Ty type) implements Meaning {}

  /** A definition, and the environment that it stands in. */
  record OfDef(TypedDef def, Env env) implements Meaning {}

  private final Env parent;
  private final Map<VName, Meaning> frame = new HashMap<>();

  private Env(Env parent) {
    this.parent = parent;
  }

  static Env root() {
    return new Env(null);
  }

  Env inner() {
    return new Env(this);
  }

  void put(VName name, Static value) {
    frame.put(name, new OfValue(value));
  }

  void put(VName name, Ty type) {
    frame.put(name, new OfType(type));
  }

  void put(TypedDef def) {
    frame.put(def.name(), new OfDef(def, this));
  }

  /** Returns what the name means; null if it means nothing, or nothing yet. */
  Meaning find(VName name) {
    for (var env = this; env != null; env = env.parent) {
      var meaning = env.frame.get(name);
      if (meaning != null) {
        return meaning;
      }
    }
    return null;
  }

  boolean isRoot() {
    return parent == null;
  }
}
