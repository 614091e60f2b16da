package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A type with sizes. It has no abbreviations and no modules any more.
 *
 * <p>Two equal types may not be {@code equals}, since sizes may be expressions.
 */
public sealed interface SType {
  record Scalar(Prim prim) implements SType {}

  /** An array of one dimension; its elements may be arrays. */
  record Array(Size size, SType element) implements SType {}

  /**
   * A record or a tuple. Tuples have the fields {@code 0}, {@code 1}, …; the order is {@link
   * Fields#ORDER}.
   */
  record Record(SortedMap<String, SType> fields) implements SType {
    public boolean isTuple() {
      return Fields.isTuple(fields.keySet());
    }
  }

  /** A sum type. The constructors are in alphabetical order and without {@code #}. */
  record Sum(SortedMap<String, List<SType>> constructors) implements SType {}

  /**
   * A function of one parameter.
   *
   * @param name the parameter's name, where the result's sizes mention it
   * @param param the parameter's type; it is {@link Unique} where the argument is consumed
   * @param result the result's type; it is {@link Unique} where the result aliases nothing
   */
  record Arrow(Optional<VName> name, SType param, ReturnType result) implements SType {}

  /** An abstract type; what it is made of is in {@link TypedProgram#representations}. */
  record Named(VName name, List<TypeArg> args) implements SType {
    public Named {
      args = List.copyOf(args);
    }
  }

  /** A type parameter in scope. */
  record Var(VName name) implements SType {}

  /**
   * A unique type, {@code *type}. It stands only in parameters and results of functions, possibly
   * inside their tuples; no expression has such a type.
   */
  record Unique(SType type) implements SType {}

  /** A type that is to be inferred; there is none in a finished tree. */
  final class Meta implements SType {
    final int id;
    int level;
    SType link;
    Constraint constraint;

    Meta(int id, int level, Constraint constraint) {
      this.id = id;
      this.level = level;
      this.constraint = constraint;
    }
  }
}
