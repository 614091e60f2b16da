package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedMap;

/** What is known about a type that is still to be inferred. */
sealed interface Constraint {
  /** The type may be an array's element, so it has no functions and no hidden sizes. */
  Any UNLIFTED = new Any(Ability.ELEMENT);

  /** Says what a type may hide. */
  enum Ability {
    /** The type may hide anything. */
    ANY,
    /** The type may hide arrays of sizes that differ, but no functions. */
    SIZE_LIFTED,
    /** The type may be an array's element. */
    ELEMENT,
    /** The type may be an array's element, and its values may be compared with {@code ==}. */
    EQUALITY
  }

  record Any(Ability ability) implements Constraint {}

  /** The type is one of several primitive types. */
  record OneOf(EnumSet<Prim> prims) implements Constraint {}

  /** The type is a record with these fields, and perhaps more. */
  record HasFields(SortedMap<String, SType> fields) implements Constraint {}

  /** The type is a sum type with these constructors, and perhaps more. */
  record HasConstructors(SortedMap<String, List<SType>> constructors) implements Constraint {}
}
