package dev.kenaz.typing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Tells which memory a value may share, field by field. */
sealed interface Aliases {
  Aliases NONE = new Of(Set.of());

  /** Something that has memory of its own. It is compared by identity. */
  final class Place {
    final String name;
    final Kind kind;

    /** How many functions and loops it is bound in. */
    final int functions;

    final int loops;

    Place(String name, Kind kind, int functions, int loops) {
      this.name = name;
      this.kind = kind;
      this.functions = functions;
      this.loops = loops;
    }
  }

  /** Whether what a name stands for may be consumed. */
  enum Kind {
    LOCAL,
    UNIQUE_PARAMETER,
    PARAMETER,
    GLOBAL
  }

  record Of(Set<Place> places) implements Aliases {}

  record Fields(SortedMap<String, Aliases> fields) implements Aliases {}

  static Aliases of(Set<Place> places) {
    return places.isEmpty() ? NONE : new Of(places);
  }

  /** Returns the memory that any part of the value may share. */
  default Set<Place> all() {
    return switch (this) {
      case Of o -> o.places();
      case Fields f -> {
        Set<Place> out = new HashSet<>();
        f.fields().values().forEach(a -> out.addAll(a.all()));
        yield out;
      }
    };
  }

  /** Returns the constants among these places. */
  default Set<Place> globals() {
    var out = all();
    return out.stream().anyMatch(p -> p.kind == Kind.GLOBAL)
        ? out.stream().filter(p -> p.kind == Kind.GLOBAL).collect(Collectors.toSet())
        : Set.of();
  }

  default Aliases field(String name) {
    return switch (this) {
      case Of o -> o;
      case Fields f -> f.fields().getOrDefault(name, NONE);
    };
  }

  default Aliases or(Aliases other) {
    if (this == NONE) {
      return other;
    }
    if (other == NONE) {
      return this;
    }
    if (this instanceof Fields f
        && other instanceof Fields g
        && f.fields().keySet().equals(g.fields().keySet())) {
      SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
      f.fields().forEach((name, a) -> fields.put(name, a.or(g.field(name))));
      return new Fields(fields);
    }
    if (this instanceof Fields f) {
      SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
      f.fields().forEach((name, a) -> fields.put(name, a.or(other)));
      return new Fields(fields);
    }
    if (other instanceof Fields g) {
      return g.or(this);
    }
    Set<Place> both = new HashSet<>(all());
    both.addAll(other.all());
    return of(both);
  }

  /** Returns the same aliases without some places. */
  default Aliases without(Set<Place> gone) {
    return switch (this) {
      case Of o -> {
        Set<Place> left = new HashSet<>(o.places());
        left.removeAll(gone);
        yield of(left);
      }
      case Fields f -> {
        SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
        f.fields().forEach((name, a) -> fields.put(name, a.without(gone)));
        yield new Fields(fields);
      }
    };
  }

  /** Returns those of the aliases that a value of this type can have: a number shares nothing. */
  default Aliases like(SType type) {
    if (this == NONE) {
      return this;
    }
    return switch (Types.stripTop(type)) {
      case SType.Scalar _ -> NONE;
      case SType.Record r -> {
        SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, field(name).like(t)));
        yield new Fields(fields);
      }
      case SType _ -> of(all());
    };
  }

  /** Returns the same aliases without the parts that a result's type marks unique. */
  default Aliases butUnique(SType type) {
    return switch (Types.resolve(type)) {
      case SType.Unique _ -> NONE;
      case SType.Scalar _ -> NONE;
      case SType.Record r -> {
        SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, field(name).butUnique(t)));
        yield new Fields(fields);
      }
      case SType _ -> of(all());
    };
  }

  /**
   * Returns the aliases of only those parts that a parameter's type marks unique, which a call
   * consumes.
   */
  default Set<Place> unique(SType type) {
    return switch (Types.resolve(type)) {
      case SType.Unique u -> like(u.type()).all();
      case SType.Record r -> {
        Set<Place> out = new HashSet<>();
        r.fields().forEach((name, t) -> out.addAll(field(name).unique(t)));
        yield out;
      }
      case SType _ -> Set.of();
    };
  }

  /** Returns the aliases of each part of a value, one by one. */
  static List<Aliases> leaves(Aliases a) {
    List<Aliases> out = new ArrayList<>();
    switch (a) {
      case Of o -> out.add(o);
      case Fields f -> f.fields().values().forEach(x -> out.addAll(leaves(x)));
    }
    return out;
  }

  /** Returns the aliases of a constant, part by part; functions share nothing. */
  static Aliases global(Place place, SType type) {
    return switch (Types.resolve(type)) {
      case SType.Scalar _, SType.Arrow _ -> NONE;
      case SType.Record r -> {
        SortedMap<String, Aliases> fields = dev.kenaz.typing.Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, global(place, t)));
        yield new Fields(fields);
      }
      case SType _ -> of(Set.of(place));
    };
  }
}
