package dev.kenaz.lower;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Does operations on all components of an array at once. */
final class Arrays {
  private Arrays() {}

  /** Returns the outer size; for an array of values without components only the type tells it. */
  static Atom width(Static array, Ty type) {
    var leaves = array.leaves();
    if (!leaves.isEmpty()) {
      return leaves.getFirst().type().dims().getFirst();
    }
    if (type instanceof Ty.Array(var size, _)) {
      return size;
    }
    throw new CompilerBug("lower", "no array: " + type);
  }

  static Atom width(Static array, Atom otherwise) {
    var leaves = array.leaves();
    return leaves.isEmpty() ? otherwise : leaves.getFirst().type().dims().getFirst();
  }

  /** Returns a row that is known to exist. */
  static Static row(Static array, Atom index, Scope scope) {
    return each(array, a -> scope.builder().index(a, index));
  }

  static Static each(Static array, Function<Var, Atom> f) {
    UnaryOperator<Atom> onAtom = a -> f.apply((Var) a);
    return array.map(onAtom);
  }

  /** Returns the arrays with this outer size, which is known to be theirs. */
  static List<Var> under(Atom width, Static array, Scope scope) {
    return array.leaves().stream()
        .map(
            a -> {
              var row = ((Type.Array) a.type()).row();
              return (Var) scope.cast(a, row.under(width));
            })
        .toList();
  }

  static Static transpose(Static array, Scope scope) {
    return each(
        array,
        a -> {
          var perm = new ArrayList<>(List.of(1, 0));
          for (int i = 2; i < a.type().dims().size(); i++) {
            perm.add(i);
          }
          return scope.lend(a, scope.builder().bind("tr", new Exp.Rearrange(perm, a)));
        });
  }

  /** Makes the two outer dimensions one dimension of this size. */
  static Static flatten(Static array, Atom size, Scope scope) {
    return each(array, a -> reshape(a, List.of(size), 2, scope));
  }

  /** Makes the outer dimension two dimensions of these sizes. */
  static Static unflatten(Static array, Atom n, Atom m, Scope scope) {
    return each(array, a -> reshape(a, List.of(n, m), 1, scope));
  }

  private static Atom reshape(Var array, List<Atom> outer, int replaced, Scope scope) {
    var dims = array.type().dims();
    var inner = dims.subList(replaced, dims.size());
    var shape = Type.of(array.type().elemPrim(), inner).under(outer).dims();
    return scope.lend(array, scope.builder().bind("flat", new Exp.Reshape(shape, array)));
  }

  static Static concat(Static xs, Static ys, Atom size, Scope scope) {
    var left = xs.leaves();
    var right = ys.leaves();
    var joined = new ArrayList<Atom>();
    for (int i = 0; i < left.size(); i++) {
      var x = (Var) left.get(i);
      var y = (Var) right.get(i);
      var rows = ((Type.Array) x.type()).row();
      y = (Var) scope.cast(y, rows.under(y.type().dims().getFirst()));
      joined.add(scope.builder().bind("cat", new Exp.Concat(0, List.of(x, y), size)));
    }
    return xs.with(joined);
  }

  static Static replicate(Atom n, Static value, Scope scope) {
    return value.map(a -> scope.builder().replicate(List.of(n), a));
  }

  /** Returns equal arrays that share memory with nothing. */
  static Static copy(Static value, Scope scope) {
    return value.map(
        a -> a.type().isArray() ? scope.builder().bind("copy", new Exp.Copy((Var) a)) : a);
  }
}
