package dev.kenaz.typing;

import dev.kenaz.typing.Aliases.Kind;
import dev.kenaz.typing.Aliases.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/** Finds the constants of a program with which results of functions share memory. */
final class Globals {
  private final Set<VName> constants = new HashSet<>();
  private final Map<Place, VName> uses = new HashMap<>();

  /** For each definition, the constants that functions in it return. */
  private final Map<VName, Aliases> returned = new HashMap<>();

  /** The constants with which results of functions share memory; callers can't see that. */
  private final Set<VName> shared = new HashSet<>();

  void add(VName constant) {
    constants.add(constant);
  }

  Set<VName> shared() {
    return shared;
  }

  /** Notes the constants that functions in a definition's value, or in its result, return. */
  void returns(VName definition, Aliases value, SType type) {
    var mine = ofFunctions(value, type);
    if (!mine.all().isEmpty()) {
      returned.put(definition, mine);
    }
  }

  /**
   * Returns what one use of a definition shares: its own memory if it is a constant, and the
   * constants that functions in it return.
   */
  Aliases use(VName v, SType type) {
    var mine = returned.getOrDefault(v, Aliases.NONE);
    if (!constants.contains(v)) {
      return mine;
    }
    var place = new Place(v.base(), Kind.GLOBAL, 0, 0);
    uses.put(place, v);
    return Aliases.global(place, type).or(mine);
  }

  /**
   * Returns the constants that a function with this result returns: as the whole result, or by
   * functions in it. A constant in a field of the result doesn't count, because an update of the
   * field updates a copy.
   */
  static Set<Place> returned(Aliases result, SType type) {
    return Types.stripTop(type) instanceof SType.Array
        ? result.globals()
        : ofFunctions(result, type).all();
  }

  private static Aliases ofFunctions(Aliases value, SType type) {
    return switch (Types.stripTop(type)) {
      case SType.Arrow f -> returnsArray(f) ? Aliases.of(value.globals()) : Aliases.NONE;
      case SType.Record r -> {
        SortedMap<String, Aliases> fields = Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, ofFunctions(value.field(name), t)));
        yield new Aliases.Fields(fields);
      }
      case SType _ -> Aliases.NONE;
    };
  }

  /** Whether a function, or one in its result, returns an array that need not be new. */
  private static boolean returnsArray(SType.Arrow f) {
    return switch (Types.resolve(f.result().type())) {
      case SType.Array _ -> true;
      case SType.Arrow g -> returnsArray(g);
      case SType.Record r ->
          r.fields().values().stream()
              .anyMatch(t -> Types.resolve(t) instanceof SType.Arrow g && returnsArray(g));
      case SType _ -> false;
    };
  }

  /**
   * Returns what a call's result shares with an argument. If a partial application was given a
   * constant, it may return it; but that is a parameter, which nobody may update in place, so an
   * update of it updates a copy.
   */
  static Aliases kept(Aliases value, TypedExp arg, TypedExp.Apply call) {
    boolean partial = Types.resolve(call.type()) instanceof SType.Arrow;
    return Aliases.of(
        partial && !Types.hasArrow(arg.type())
            ? value.without(value.globals()).all()
            : value.all());
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
