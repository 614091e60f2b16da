package dev.kenaz.typing;

import dev.kenaz.value.Prim;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A type with sizes. Abbreviations are expanded; modules are gone.
 *
 * <p>Equal types may differ by {@code equals}, since sizes may be expressions.
 */
public sealed interface SType {
  record Scalar(Prim prim) implements SType {}

  /** One dimension; the element may be an array. */
  record Array(Size size, SType element) implements SType {}

  /** Tuples have the fields {@code 0}, {@code 1}, …; the order is {@link Fields#ORDER}. */
  record Record(SortedMap<String, SType> fields) implements SType {
    public boolean isTuple() {
      return Fields.isTuple(fields.keySet());
    }
  }

  /** Constructors, without {@code #}, in alphabetical order. */
  record Sum(SortedMap<String, List<SType>> constructors) implements SType {}

  /**
   * A function of one parameter.
   *
   * @param name the parameter's, where the result's sizes mention it
   * @param param {@link Unique} where it is consumed
   * @param result {@link Unique} where it aliases nothing
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
   * {@code *type}; only in parameters and results of functions, possibly inside their tuples. No
   * expression's own type has it.
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
