package dev.kenaz.typing;

import dev.kenaz.typing.Aliases.Kind;
import dev.kenaz.typing.Aliases.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The constants of a program, and which of them results of functions share memory with. */
final class Globals {
  private final Set<VName> constants = new HashSet<>();
  private final Map<Place, VName> uses = new HashMap<>();

  /** Callers can't see that what they are given is a constant's memory. */
  private final Set<VName> shared = new HashSet<>();

  void add(VName constant) {
    constants.add(constant);
  }

  Set<VName> shared() {
    return shared;
  }

  /** What one use of a constant shares; nothing if the name is none. */
  Aliases use(VName v, SType type) {
    if (!constants.contains(v)) {
      return Aliases.NONE;
    }
    var place = new Place(v.base(), Kind.GLOBAL, 0, 0);
    uses.put(place, v);
    return Aliases.global(place, type);
  }

  void forgetUses() {
    uses.clear();
  }

  /** Notes the constants that a function's result shares memory with. */
  void share(Aliases result) {
    for (var p : result.all()) {
      if (p.kind == Kind.GLOBAL) {
        shared.add(uses.get(p));
      }
    }
  }
}
