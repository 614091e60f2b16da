package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.Optional;

/**
 * Adds to accumulators of adjoints (001 §5.4): every dimension is indexed, the elements are
 * scalars, and the operator is addition. A whole row is added by a map over updates of single
 * elements.
 */
final class Accumulate {
  private Accumulate() {}

  /** Adds the contribution under these first indices; returns the accumulator afterwards. */
  static Var all(Builder b, Var acc, List<Atom> indices, Atom contribution) {
    if (contribution.type().isScalar()) {
      return b.bind("acc", new UpdateAcc(acc, indices, List.of(contribution)));
    }
    return rows(
        b,
        acc,
        (Var) contribution,
        (in, inner, i, row) -> all(in, inner, Lists.with(indices, i), row));
  }

  /** Adds the contribution at a slice; returns the accumulator afterwards. */
  static Var slice(Builder b, Var acc, List<DimSlice> slice, Atom contribution) {
    return slice(b, acc, slice, List.of(), contribution);
  }

  private static Var slice(
      Builder b, Var acc, List<DimSlice> slice, List<Atom> indices, Atom contribution) {
    if (slice.isEmpty()) {
      return all(b, acc, indices, contribution);
    }
    var rest = slice.subList(1, slice.size());
    return switch (slice.getFirst()) {
      case DimSlice.Fix(var i) -> slice(b, acc, rest, Lists.with(indices, i), contribution);
      case DimSlice.Range(var start, _, var stride) ->
          rows(
              b,
              acc,
              (Var) contribution,
              (in, inner, i, row) -> {
                var at = in.add(start, in.mul(i, stride));
                return slice(in, inner, rest, Lists.with(indices, at), row);
              });
    };
  }

  @FunctionalInterface
  private interface Step {
    Var add(Builder b, Var acc, Var i, Var row);
  }

  /** Runs the step for every row of the contribution. */
  private static Var rows(Builder b, Var acc, Var contribution, Step step) {
    var n = contribution.type().dims().getFirst();
    var i = Names.fresh("i", Type.I64);
    var row = Names.fresh("row", Builder.rowType(contribution.type()));
    var inner = Names.fresh("acc", acc.type());
    var map = b.lambdaOf(List.of(i, row, inner), (in, _) -> List.of(step.add(in, inner, i, row)));
    var inputs = List.of(b.iota(n), contribution, acc);
    return b.screma(n, inputs, List.of(), List.of(), map).getFirst();
  }

  /** Makes a variable for the accumulator of an array's adjoint. */
  static Var fresh(Var array) {
    var elem = List.<Type>of(Type.scalar(array.type().elemPrim()));
    return Names.fresh(
        array.name() + "_acc", new Type.Acc(Names.freshTag(), array.type().dims(), elem));
  }

  /** Turns the array into an accumulator that adds. */
  static AccInput input(Builder b, Var array) {
    var prim = array.type().elemPrim();
    var plus = b.operator(Builder.addition(prim), prim);
    var combine = new Combine(plus, List.of(Atom.of(prim, 0)));
    return new AccInput(array.type().dims(), List.of(array), Optional.of(combine));
  }

  /** Makes a lambda with these parameters from the statements of {@code inner}. */
  static Lambda lambda(List<Var> params, Builder inner, List<? extends Atom> results) {
    return new Lambda(params, inner.body(results), results.stream().map(Atom::type).toList());
  }
}
