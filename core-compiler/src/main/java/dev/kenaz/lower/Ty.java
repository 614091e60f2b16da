package dev.kenaz.lower;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A type with nothing left open: its sizes are atoms of the core program. */
sealed interface Ty {
  record Scalar(Prim prim) implements Ty {}

  record Array(Atom size, Ty elem) implements Ty {}

  record Rec(SortedMap<String, Ty> fields) implements Ty {}

  record Sum(SortedMap<String, List<Ty>> constructors) implements Ty {}

  /** An accumulator of an array of this type. */
  record Acc(Ty array) implements Ty {}

  /** A function. Its value says everything about it. */
  record Fun() implements Ty {}

  /** Returns the same type over other sizes. */
  default Ty map(UnaryOperator<Atom> f) {
    return switch (this) {
      case Scalar _, Fun _ -> this;
      case Array(var size, var elem) -> new Array(f.apply(size), elem.map(f));
      case Rec(var fields) -> {
        var mapped = new TreeMap<String, Ty>(fields.comparator());
        fields.forEach((name, t) -> mapped.put(name, t.map(f)));
        yield new Rec(mapped);
      }
      case Sum(var constructors) -> {
        var mapped = new TreeMap<String, List<Ty>>();
        constructors.forEach(
            (name, payload) -> mapped.put(name, payload.stream().map(t -> t.map(f)).toList()));
        yield new Sum(mapped);
      }
      case Acc(var array) -> new Acc(array.map(f));
    };
  }

  /**
   * Returns the types of the core values of which one such value is made. The type of an
   * accumulator lacks its token.
   */
  default List<Type> leaves() {
    var leaves = new ArrayList<Type>();
    addLeaves(this, List.of(), leaves);
    return leaves;
  }

  private static void addLeaves(Ty ty, List<Atom> outer, List<Type> leaves) {
    switch (ty) {
      case Scalar(var prim) -> leaves.add(Type.of(prim, outer));
      case Array(var size, var elem) -> {
        var dims = Lists.with(outer, size);
        addLeaves(elem, dims, leaves);
      }
      case Rec(var fields) -> fields.values().forEach(f -> addLeaves(f, outer, leaves));
      case Sum s -> {
        leaves.add(Type.of(Prim.I8, outer));
        SumLayout.of(s).types().forEach(t -> leaves.add(t.under(outer)));
      }
      case Acc(var array) -> leaves.add(new Type.Acc(0, List.of(), array.leaves()));
      case Fun _ -> {}
    }
  }
}
