package dev.kenaz.ir;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Exp.*;
import java.util.ArrayList;
import java.util.List;

/** Writes code for scans, in both directions, and for what comes before each row. */
public final class Scans {
  private Scans() {}

  /** Returns the array with its rows in reverse order. */
  public static Var reversed(Builder b, Var array) {
    var dims = array.type().dims();
    var n = dims.getFirst();
    var slice = new ArrayList<DimSlice>();
    slice.add(new DimSlice.Range(b.sub(n, i64(1)), n, i64(-1)));
    dims.subList(1, dims.size()).forEach(d -> slice.add(new DimSlice.Range(i64(0), d, i64(1))));
    return b.bind("rev", new Slice(array, slice, false));
  }

  public static List<Var> reversed(Builder b, List<Var> arrays) {
    return arrays.stream().map(a -> reversed(b, a)).toList();
  }

  public static List<Var> inclusive(
      Builder b, Atom n, List<Var> arrays, Lambda op, List<Atom> neutral) {
    var scan = new Scan(new Renaming().lambda(op), neutral);
    return b.screma(n, arrays, List.of(scan), List.of(), b.identity(arrays));
  }

  /** Combines what precedes each row; before the first that is the neutral element. */
  public static List<Var> exclusive(
      Builder b, Atom n, List<Var> arrays, Lambda op, List<Atom> neutral) {
    var incl = inclusive(b, n, arrays, op, neutral);
    return b.map(
        n,
        List.of(b.iota(n)),
        (in, p) -> {
          var i = p.getFirst();
          return in.ifThenElse(
              in.compare(CompareOp.EQ, i, i64(0)),
              neutral.stream().map(Atom::type).toList(),
              _ -> neutral,
              c -> incl.stream().map(a -> c.index(a, c.sub(i, i64(1)))).toList());
        });
  }

  /** Returns the operator with its operands exchanged. */
  public static Lambda flipped(Lambda op) {
    int k = op.params().size() / 2;
    var params = new ArrayList<>(op.params().subList(k, 2 * k));
    params.addAll(op.params().subList(0, k));
    return new Lambda(params, op.body(), op.returns());
  }
}
