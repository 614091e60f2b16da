package dev.kenaz.typing;

import dev.kenaz.error.Span;
import dev.kenaz.typing.Aliases.Kind;
import dev.kenaz.typing.Aliases.Place;
import java.util.HashSet;
import java.util.Set;

/** Checks that values share no memory with each other, or with what they must not. */
final class Apart {
  private Apart() {}

  /**
   * A function's result may share memory with its arguments, but an array that is the whole result
   * may not with a global constant.
   */
  static void noGlobals(Aliases body, SType type, Span span) {
    if (!(Types.stripTop(type) instanceof SType.Array)) {
      return;
    }
    for (var p : body.all()) {
      if (p.kind == Kind.GLOBAL) {
        throw Session.error(
            "K4008",
            span,
            "Function result aliases the free variable \"" + p.name + "\", a global constant",
            "return `copy` of it");
      }
    }
  }

  /** Parts of what is consumed must not be the same memory. */
  static void distinct(Aliases a, Span span) {
    Set<Place> seen = new HashSet<>();
    for (var leaf : Aliases.leaves(a)) {
      for (var p : leaf.all()) {
        if (!seen.add(p)) {
          throw Session.error(
              "K4006",
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
            "K4006",
            arg.span(),
            "This argument is aliased to \"" + p.name + "\", which is consumed by the same call",
            "`copy` one of them");
      }
    }
  }
}
