package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Type;
import dev.kenaz.typing.Fields;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What is known of a value while the program is being lowered. An array of records is a record of
 * arrays; an array of sums is an array of tags and an array for each slot.
 */
sealed interface Static {
  /** A scalar, an array of scalars, or an accumulator. */
  record Core(Atom atom) implements Static {}

  record Rec(SortedMap<String, Static> fields) implements Static {}

  /**
   * A value of a sum type; see {@link SumLayout}.
   *
   * @param functions the functions in the payload, in order; if there are any, the tag is a
   *     constant
   */
  record Sum(Atom tag, List<Atom> slots, List<Fun> functions) implements Static {
    public Sum {
      slots = List.copyOf(slots);
      functions = List.copyOf(functions);
    }
  }

  /**
   * A function.
   *
   * @param arity how many arguments it takes before its code runs
   * @param given the arguments to which it was applied so far
   */
  record Fun(int arity, List<Static> given, Code code) implements Static {}

  /** What a function does once all arguments are there. */
  @FunctionalInterface
  interface Code {
    Static apply(Scope scope, List<Static> arguments);
  }

  static Static core(Atom atom) {
    return new Core(atom);
  }

  static Static fun(int arity, Code code) {
    return new Fun(arity, List.of(), code);
  }

  static Rec tuple(Static... elements) {
    var fields = Fields.<Static>empty();
    for (int i = 0; i < elements.length; i++) {
      fields.put(Integer.toString(i), elements[i]);
    }
    return new Rec(fields);
  }

  /** Returns the scalar or the array of scalars that this is. */
  default Atom atom() {
    if (this instanceof Core(var atom)) {
      return atom;
    }
    throw new CompilerBug("lower", "a scalar was expected, not " + this);
  }

  default Static field(String name) {
    if (this instanceof Rec(var fields) && fields.get(name) != null) {
      return fields.get(name);
    }
    throw new CompilerBug("lower", "no field " + name + " in " + this);
  }

  /** Returns the core values that it is made of; functions have none. */
  default List<Atom> leaves() {
    var leaves = new ArrayList<Atom>();
    addLeaves(this, leaves);
    return leaves;
  }

  private static void addLeaves(Static value, List<Atom> leaves) {
    switch (value) {
      case Core(var atom) -> leaves.add(atom);
      case Rec(var fields) -> fields.values().forEach(f -> addLeaves(f, leaves));
      case Sum(var tag, var slots, _) -> {
        leaves.add(tag);
        leaves.addAll(slots);
      }
      case Fun _ -> {}
    }
  }

  /** Returns the functions in it, in order. */
  default List<Fun> functions() {
    return switch (this) {
      case Core _ -> List.of();
      case Rec(var fields) ->
          fields.values().stream().flatMap(f -> f.functions().stream()).toList();
      case Sum(_, _, var functions) -> functions;
      case Fun f -> List.of(f);
    };
  }

  /** Returns the same structure over other core values. */
  default Static map(UnaryOperator<Atom> f) {
    return switch (this) {
      case Core(var atom) -> new Core(f.apply(atom));
      case Rec(var fields) -> {
        var mapped = new TreeMap<String, Static>(fields.comparator());
        fields.forEach((name, value) -> mapped.put(name, value.map(f)));
        yield new Rec(mapped);
      }
      case Sum(var tag, var slots, var functions) ->
          new Sum(f.apply(tag), slots.stream().map(f).toList(), functions);
      case Fun fun -> fun;
    };
  }

  /** Returns the same structure over these core values, one for each leaf. */
  default Static with(List<? extends Atom> leaves) {
    var next = leaves.iterator();
    return map(_ -> next.next());
  }

  /** Returns a value of the type that is made of these core values. */
  static Static of(Ty ty, List<? extends Atom> leaves) {
    return of(ty, leaves, List.of());
  }

  /** Returns a value of the type that is made of these core values and functions. */
  static Static of(Ty ty, List<? extends Atom> leaves, List<Fun> functions) {
    return of(ty, leaves.iterator(), functions.iterator());
  }

  private static Static of(Ty ty, Iterator<? extends Atom> leaves, Iterator<Fun> functions) {
    return switch (ty) {
      case Ty.Scalar _, Ty.Acc _ -> new Core(leaves.next());
      case Ty.Array(_, var elem) -> of(elem, leaves, functions);
      case Ty.Rec(var fields) -> {
        var values = new TreeMap<String, Static>(fields.comparator());
        fields.forEach((name, f) -> values.put(name, of(f, leaves, functions)));
        yield new Rec(values);
      }
      case Ty.Sum s -> {
        Atom tag = leaves.next();
        var layout = SumLayout.of(s);
        var slots = new ArrayList<Atom>();
        for (int i = layout.types().size(); i > 0; i--) {
          slots.add(leaves.next());
        }
        yield new Sum(tag, slots, held(s, layout, tag, slots, functions));
      }
      case Ty.Fun _ -> functions.next();
    };
  }

  /**
   * Takes, from the remaining functions, those in the payload of a sum whose constructor is known.
   */
  private static List<Fun> held(
      Ty.Sum sum, SumLayout layout, Atom tag, List<Atom> slots, Iterator<Fun> functions) {
    if (!(tag instanceof Const(var value)) || !functions.hasNext()) {
      return List.of();
    }
    var constructor = List.copyOf(sum.constructors().keySet()).get((int) value.bits());
    return layout.payload(sum, constructor, slots, functions).stream()
        .flatMap(p -> p.functions().stream())
        .toList();
  }

  /** Returns the parts of a payload. */
  static List<Static> parts(List<Ty> types, Iterator<Atom> leaves, Iterator<Fun> functions) {
    return types.stream().map(t -> of(t, leaves, functions)).toList();
  }

  /** Returns the types of the leaves, as their atoms have them. */
  default List<Type> types() {
    return leaves().stream().map(Atom::type).toList();
  }
}
