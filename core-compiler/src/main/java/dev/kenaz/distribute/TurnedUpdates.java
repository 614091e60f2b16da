package dev.kenaz.distribute;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An accumulation into arrays that have rows as an inner dimension, such as the adjoint of {@code
 * xs[j, i]}: it becomes one into turned arrays, whose first dimension are the rows.
 */
final class TurnedUpdates implements Rewriter {
  private final int token;
  private final int dim;

  private TurnedUpdates(int token, int dim) {
    this.token = token;
    this.dim = dim;
  }

  /** Returns statements that do the same with turned arrays, if the statement has such arrays. */
  static Optional<List<Stm>> of(Spaces spaces, Stm stm) {
    if (!(stm.exp() instanceof WithAcc w)) {
      return Optional.empty();
    }
    int at = 0;
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      var space = in.space();
      int dim =
          IntStream.range(0, space.size())
              .filter(d -> spaces.has(space.get(d)))
              .findFirst()
              .orElse(0);
      if (dim > 0) {
        return Optional.of(turned(stm, w, k, at, dim));
      }
      at += in.arrays().size();
    }
    return Optional.empty();
  }

  private static List<Stm> turned(Stm stm, WithAcc w, int k, int at, int dim) {
    var b = new Builder(stm.span());
    var in = w.inputs().get(k);
    var acc = (Type.Acc) w.body().params().get(k).type();
    var turn = new TurnedUpdates(acc.token(), dim);
    var arrays = in.arrays().stream().map(v -> RowRewrites.rowsFirst(b, v, dim)).toList();
    var inputs = new ArrayList<>(w.inputs());
    inputs.set(k, new AccInput(turn.rowsFirst(in.space()), arrays, in.combine()));
    var pattern = new ArrayList<>(stm.pattern());
    for (int i = 0; i < arrays.size(); i++) {
      var v = stm.pattern().get(at + i);
      pattern.set(at + i, Names.fresh(v.name(), arrays.get(i).type()));
    }
    b.with(stm.attrs()).bindAll(pattern, new WithAcc(inputs, turn.lambda(w.body())));
    for (int i = 0; i < arrays.size(); i++) {
      var back = RowRewrites.rowsBack(b, pattern.get(at + i), dim);
      b.bindAll(List.of(stm.pattern().get(at + i)), new Alias(back));
    }
    return b.stms();
  }

  private List<Atom> rowsFirst(List<Atom> byDimension) {
    var all = new ArrayList<>(byDimension);
    all.addFirst(all.remove(dim));
    return all;
  }

  @Override
  public Type type(Type type) {
    return type instanceof Type.Acc a && a.token() == token
        ? new Type.Acc(token, rowsFirst(a.space()), a.elems())
        : Rewriter.super.type(type);
  }

  @Override
  public Exp exp(Exp exp) {
    return exp instanceof UpdateAcc(Var acc, var is, var xs)
            && acc.type() instanceof Type.Acc a
            && a.token() == token
        ? new UpdateAcc(var(acc), rowsFirst(is), xs)
        : Rewriter.super.exp(exp);
  }
}
