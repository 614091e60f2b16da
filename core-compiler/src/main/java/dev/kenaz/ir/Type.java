package dev.kenaz.ir;

import dev.kenaz.value.Prim;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A type says what the values of a variable are. Sizes of arrays are part of it. */
public sealed interface Type extends Serializable {

  /** A scalar is one number or truth value. */
  record Scalar(Prim prim) implements Type {
    @Override
    public String toString() {
      return prim.text();
    }
  }

  /**
   * An array is regular and holds scalars in row-major order.
   *
   * @param shape the sizes, outermost first, at least one; each an i64
   */
  record Array(Prim elem, List<Atom> shape) implements Type {
    public Array {
      shape = List.copyOf(shape);
      if (shape.isEmpty()) {
        throw new IllFormed("an array type needs a dimension");
      }
      if (TypeRules.WHEN_MADE) {
        TypeRules.indices(shape);
      }
    }

    public int rank() {
      return shape.size();
    }

    /** Returns the type of an element along the outermost dimension. */
    public Type row() {
      return Type.of(elem, shape.subList(1, shape.size()));
    }

    @Override
    public String toString() {
      var text = new StringBuilder();
      shape.forEach(d -> text.append('[').append(d).append(']'));
      return text.append(elem.text()).toString();
    }
  }

  /**
   * A write-only accumulator: one or more arrays that share their outer dimensions, into which
   * values are combined in any order ("AD for an Array Language with Nested Parallelism", 2022,
   * section 5.4). It must be used linearly.
   *
   * @param token ties the accumulator to the {@link Exp.WithAcc} that made it
   * @param space the outer sizes that {@link Exp.UpdateAcc} indexes
   * @param elems the element types under that space: scalars, or arrays for whole-row updates
   */
  record Acc(int token, List<Atom> space, List<Type> elems) implements Type {
    public Acc {
      space = List.copyOf(space);
      elems = List.copyOf(elems);
      if (TypeRules.WHEN_MADE) {
        TypeRules.indices(space);
      }
    }

    @Override
    public String toString() {
      return "acc" + token + space + elems;
    }
  }

  Scalar BOOL = new Scalar(Prim.BOOL);
  Scalar I64 = new Scalar(Prim.I64);

  static Type of(Prim elem, List<Atom> shape) {
    return shape.isEmpty() ? new Scalar(elem) : new Array(elem, shape);
  }

  static Scalar scalar(Prim prim) {
    return new Scalar(prim);
  }

  /** An array of {@code outer} such elements; the type itself when {@code outer} is empty. */
  default Type under(List<Atom> outer) {
    return switch (this) {
      case Scalar s -> of(s.prim, outer);
      case Array a -> {
        var shape = new ArrayList<>(outer);
        shape.addAll(a.shape);
        yield new Array(a.elem, shape);
      }
      case Acc _ -> throw new IllFormed("an array of accumulators");
    };
  }

  default Type under(Atom outer) {
    return under(List.of(outer));
  }

  /** Returns the sizes, outermost first; a scalar has none. */
  default List<Atom> dims() {
    return switch (this) {
      case Scalar _ -> List.of();
      case Array a -> a.shape;
      case Acc a -> a.space;
    };
  }

  /** Returns the scalar type of the elements; that of a scalar is its own. */
  default Prim elemPrim() {
    return switch (this) {
      case Scalar s -> s.prim;
      case Array a -> a.elem;
      case Acc _ -> throw new IllFormed("an accumulator has no element type");
    };
  }

  default boolean isArray() {
    return this instanceof Array;
  }

  default boolean isScalar() {
    return this instanceof Scalar;
  }
}
