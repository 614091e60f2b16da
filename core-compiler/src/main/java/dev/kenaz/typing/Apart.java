package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K4006;
import static dev.kenaz.error.ErrorCode.K4008;

import dev.kenaz.error.Span;
import dev.kenaz.typing.Aliases.Kind;
import dev.kenaz.typing.Aliases.Place;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;

/** Checks that values share no memory with each other, or with what they must not. */
final class Apart {
  private Apart() {}

  /**
   * A function's result may share memory with its arguments, but an array that is the whole result
   * may not with a global constant.
   */
  static void noGlobals(Aliases body, SType type, Span span) {
    switch (Types.stripTop(type)) {
      // The result is a function: what it returns in turn must be no constant, unless it is new in
      // each call.
      case SType.Arrow f -> {
        if (!(Types.resolve(f.result().type()) instanceof SType.Unique)) {
          noGlobals(body, f.result().type(), span);
        }
      }
      case SType.Array _ -> {
        for (var p : body.globals()) {
          throw Session.error(
              K4008,
              span,
              "Function result aliases the free variable \"" + p.name + "\", a global constant",
              "return `copy` of it");
        }
      }
      case SType _ -> {}
    }
  }

  /** Checks that no two parts of what is consumed are the same memory. */
  static void distinct(Aliases a, Span span) {
    Set<Place> seen = new HashSet<>();
    for (var leaf : Aliases.leaves(a)) {
      for (var p : leaf.all()) {
        if (!seen.add(p)) {
          throw Session.error(
              K4006,
              span,
              "Argument passed for consuming parameter is self-aliased",
              "its parts share memory through \"" + p.name + "\": `copy` one of them");
        }
      }
    }
  }

  static void apart(Set<Place> consumed, Aliases other, TypedExp arg) {
    for (var p : other.all()) {
      if (consumed.contains(p)) {
        throw Session.error(
            K4006,
            arg.span(),
            "This argument is aliased to \"" + p.name + "\", which is consumed by the same call",
            "`copy` one of them");
      }
    }
  }

  /** Returns the type with a mark of uniqueness wherever the value shares nothing. */
  static SType marked(SType type, Aliases a) {
    return switch (Types.resolve(type)) {
      case SType.Record r -> {
        SortedMap<String, SType> fields = Fields.empty();
        r.fields().forEach((name, t) -> fields.put(name, marked(t, a.field(name))));
        yield new SType.Record(fields);
      }
      case SType.Array t when owned(a) -> Types.unique(t);
      case SType.Named t when owned(a) -> Types.unique(t);
      case SType.Sum t when owned(a) -> Types.unique(t);
      case SType t -> t;
    };
  }

  /**
   * Whether what is shared is the function's own memory, which nobody else can use after it
   * returns.
   */
  private static boolean owned(Aliases a) {
    return a.all().stream().allMatch(p -> p.kind == Kind.LOCAL || p.kind == Kind.UNIQUE_PARAMETER);
  }
}
