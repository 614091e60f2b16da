package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedMap;

/** What is known of a type that is not known yet. */
sealed interface Constraint {
  /** Anything that may be an array's element: no functions, no hidden sizes. */
  Any UNLIFTED = new Any(Ability.ELEMENT);

  /** What a type may hide. */
  enum Ability {
    /** Anything. */
    ANY,
    /** Arrays of sizes that differ, but no functions. */
    SIZE_LIFTED,
    /** May be an array's element. */
    ELEMENT,
    /** May be an array's element, and compared with {@code ==}. */
    EQUALITY
  }

  record Any(Ability ability) implements Constraint {}

  /** One of several primitive types. */
  record OneOf(EnumSet<Prim> prims) implements Constraint {}

  /** A record with these fields, and perhaps more. */
  record HasFields(SortedMap<String, SType> fields) implements Constraint {}

  /** A sum type with these constructors, and perhaps more. */
  record HasConstructors(SortedMap<String, List<SType>> constructors) implements Constraint {}
}
