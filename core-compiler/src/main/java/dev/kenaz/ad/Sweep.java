package dev.kenaz.ad;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * This is a return sweep being emitted into one scope: the builder, and the adjoints of the
 * variables that are visible there. Nested scopes get sweeps of their own.
 */
final class Sweep {
  final Builder b;
  final Activity activity;

  /** A sparse adjoint becomes an array if it has more rows. */
  private static final int MOST_ENTRIES = 4;

  private final Map<Var, Adjoint> adjoints = new HashMap<>();

  Sweep(Builder b, Activity activity) {
    this.b = b;
    this.activity = activity;
  }

  /** Returns a sweep of a scope in this one that starts without adjoints. */
  Sweep inner() {
    return new Sweep(b.inner(), activity);
  }

  Adjoint get(Var v) {
    return adjoints.get(v);
  }

  boolean isZero(Var v) {
    return !adjoints.containsKey(v);
  }

  void set(Var v, Adjoint adjoint) {
    adjoints.put(v, adjoint);
  }

  /** Takes the adjoint of a variable whose definition is reached: nothing will be added to it. */
  Adjoint take(Var v) {
    return adjoints.remove(v);
  }

  /** Takes the adjoint as an atom; it must not be zero. */
  Atom takeValue(Var v) {
    var atom = value(v);
    adjoints.remove(v);
    return atom;
  }

  /** The adjoint so far as an atom; a zero is made real here. */
  Atom value(Var v) {
    return switch (adjoints.get(v)) {
      case null -> {
        var zero = b.zero(v.type());
        set(v, new Adjoint.Value(zero, true));
        yield zero;
      }
      case Adjoint.Value(var atom, _) -> atom;
      case Adjoint.Broadcast(var row) -> {
        var array = b.replicate(List.of(v.type().dims().getFirst()), row);
        set(v, new Adjoint.Value(array, true));
        yield array;
      }
      case Adjoint.Sparse(var entries) -> {
        set(v, new Adjoint.Value(b.zero(v.type()), true));
        entries.forEach(e -> addDense(v, e));
        yield ((Adjoint.Value) get(v)).atom();
      }
      case Adjoint.Accumulator a ->
          throw new CompilerBug("ad", "the adjoint of " + v + " is being accumulated: " + a);
    };
  }

  /** Returns the adjoint so far as an array that may be updated in place. */
  Var owned(Var v) {
    var atom = value(v);
    if (adjoints.get(v) instanceof Adjoint.Value(_, boolean owned)
        && !owned
        && atom instanceof Var a) {
      atom = b.bind("own", new Copy(a));
      set(v, new Adjoint.Value(atom, true));
    }
    return (Var) atom;
  }

  /** What a scope gives back for a variable: its adjoint in a form that the outside owns. */
  Atom result(Var v) {
    if (get(v) instanceof Adjoint.Accumulator(var acc)) {
      return acc;
    }
    return v.type().isScalar() ? value(v) : owned(v);
  }

  /** Adds to the adjoint of an operand; does nothing if that is inactive. */
  void add(Atom operand, Atom contribution, boolean owned) {
    if (!activity.active(operand)) {
      return;
    }
    var v = (Var) operand;
    switch (adjoints.get(v)) {
      case null -> set(v, new Adjoint.Value(contribution, owned));
      case Adjoint.Accumulator(var acc) ->
          set(v, new Adjoint.Accumulator(Accumulate.all(b, acc, List.of(), contribution)));
      case Adjoint.Broadcast(var row) when v.type() instanceof Type.Array a ->
          set(v, new Adjoint.Value(addToRows(a, row, (Var) contribution), true));
      case Adjoint.Sparse(var entries) -> {
        set(v, new Adjoint.Value(contribution, owned));
        entries.forEach(e -> addDense(v, e));
      }
      case Adjoint.Broadcast _, Adjoint.Value _ ->
          set(v, new Adjoint.Value(b.plus(value(v), contribution), true));
    }
  }

  /** Adds one variable's adjoint, in whatever form, to another's. */
  void add(Atom operand, Adjoint contribution) {
    if (!activity.active(operand)) {
      return;
    }
    var v = (Var) operand;
    switch (contribution) {
      case Adjoint.Value(var atom, boolean owned) -> add(v, atom, owned);
      case Adjoint.Broadcast _ when isZero(v) -> set(v, contribution);
      case Adjoint.Broadcast(var row) -> addBroadcast(v, row);
      case Adjoint.Sparse(var entries) -> entries.forEach(e -> addRow(v, e));
      case Adjoint.Accumulator a ->
          throw new CompilerBug("ad", "an accumulator as a contribution: " + a);
    }
  }

  private void addBroadcast(Var v, Atom row) {
    switch (adjoints.get(v)) {
      case Adjoint.Broadcast(var other) -> set(v, new Adjoint.Broadcast(b.plus(other, row)));
      case Adjoint.Value(var array, _) when v.type() instanceof Type.Array a ->
          set(v, new Adjoint.Value(addToRows(a, row, (Var) array), true));
      case null, default -> add(v, b.replicate(v.type().dims().subList(0, 1), row), true);
    }
  }

  private Atom addToRows(Type.Array type, Atom row, Var array) {
    return b.map(
            type.shape().getFirst(), List.of(array), (in, p) -> List.of(in.plus(p.getFirst(), row)))
        .getFirst();
  }

  /** Adds to an element, or a subarray, of an array's adjoint. The indices are in bounds. */
  void addAt(Var array, List<Atom> indices, Atom contribution) {
    if (!activity.active(array)) {
      return;
    }
    if (indices.size() == 1) {
      addRow(array, new Adjoint.Entry(indices.getFirst(), contribution, true));
    } else if (get(array) instanceof Adjoint.Accumulator(var acc)) {
      set(array, new Adjoint.Accumulator(Accumulate.all(b, acc, indices, contribution)));
    } else {
      addDense(array, indices, contribution);
    }
  }

  private void addDense(Var array, List<Atom> indices, Atom contribution) {
    var into = owned(array);
    var old = b.bind("x", new Index(into, indices, false));
    set(array, new Adjoint.Value(b.update(into, indices, b.plus(old, contribution)), true));
  }

  /** Adds to one row of an array's adjoint, which stays sparse while it has few. */
  void addRow(Var array, Adjoint.Entry entry) {
    if (!activity.active(array)) {
      return;
    }
    switch (get(array)) {
      case null -> set(array, new Adjoint.Sparse(List.of(entry)));
      case Adjoint.Sparse(var entries) when entries.size() < MOST_ENTRIES -> {
        var more = Lists.with(entries, entry);
        set(array, new Adjoint.Sparse(more));
      }
      case Adjoint.Accumulator(var acc) -> {
        // out-of-bounds updates are ignored
        var index = List.of(entry.index());
        set(array, new Adjoint.Accumulator(Accumulate.all(b, acc, index, entry.row())));
      }
      case Adjoint.Sparse _, Adjoint.Broadcast _, Adjoint.Value _ -> addDense(array, entry);
    }
  }

  private void addDense(Var array, Adjoint.Entry entry) {
    var indices = List.of(entry.index());
    if (entry.inBounds()) {
      addDense(array, indices, entry.row());
      return;
    }
    var into = owned(array);
    var updated =
        b.ifThenElse(
            b.compare(CompareOp.LE, Atom.i64(0), entry.index()),
            List.of(into.type()),
            then -> {
              var old = then.bind("x", new Index(into, indices, false));
              return List.of(then.update(into, indices, then.plus(old, entry.row())));
            },
            _ -> List.of(into));
    set(array, new Adjoint.Value(updated.getFirst(), true));
  }

  /** Adds to a slice of an array's adjoint. */
  void addSlice(Var array, List<DimSlice> slice, Atom contribution) {
    if (!activity.active(array)) {
      return;
    }
    if (get(array) instanceof Adjoint.Accumulator(var acc)) {
      set(array, new Adjoint.Accumulator(Accumulate.slice(b, acc, slice, contribution)));
      return;
    }
    var into = owned(array);
    var old = b.bind("x", slice(into, slice));
    var sum = b.plus(old, contribution);
    set(array, new Adjoint.Value(b.bind(into.name(), new Update(into, slice, sum, false)), true));
  }

  /**
   * Returns an expression that reads what {@code slice} names: an {@link Index} where that is one
   * element.
   */
  static Exp slice(Var array, List<DimSlice> slice) {
    var indices = new ArrayList<Atom>();
    for (var d : slice) {
      if (d instanceof DimSlice.Fix(var i)) {
        indices.add(i);
      }
    }
    return indices.size() == slice.size()
        ? new Index(array, indices, false)
        : new Slice(array, slice, false);
  }
}
