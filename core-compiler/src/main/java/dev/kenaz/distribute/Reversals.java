package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Knows which rows are others from the last to the first, and computes with those instead. The
 * derivative of a scan, and sums from each row to the end, are {@code reverse (scan op ne (reverse
 * xs))}: no row has to move for them, if the pieces scan their rows from the last to the first.
 *
 * <p>What is computed from reversed rows is placed in both orders. What nothing uses is dropped,
 * with the exchanges for it.
 */
final class Reversals {
  private final Labeller labeller;

  /** For arrays that are reversed: the same rows in their order. */
  private final Map<Var, Var> inOrder;

  private final Set<Var> overwritten;

  Reversals(Labeller labeller) {
    this.labeller = labeller;
    this.inOrder = new HashMap<>();
    this.overwritten = new HashSet<>();
  }

  /** In a scope inside. */
  Reversals(Reversals outer) {
    this.labeller = outer.labeller;
    this.inOrder = new HashMap<>(outer.inOrder);
    this.overwritten = new HashSet<>(outer.overwritten);
  }

  /** Notes what the statements of a scope overwrite: nothing may read it later than they do. */
  void scope(List<Stm> stms) {
    overwritten.addAll(Aliases.of(stms).consumed());
  }

  /** Returns a statement in the place of one that reverses what is reversed already. */
  Optional<Stm> back(Stm stm) {
    var array = reversed(stm);
    if (array.isEmpty() || overwritten.contains(stm.var())) {
      return Optional.empty();
    }
    var rows = inOrder.get(array.get());
    if (rows == null) {
      if (!overwritten.contains(array.get())) {
        inOrder.put(stm.var(), array.get());
      }
      return Optional.empty();
    }
    return Optional.of(stm.with(stm.pattern(), new Alias(rows)));
  }

  /** Returns the array whose rows the statement gives from the last to the first. */
  private Optional<Var> reversed(Stm stm) {
    return switch (stm.exp()) {
      case Slice(var array, var dims, _)
          when isRows(array)
              && RowRewrites.onlyRows(array, dims)
              && dims.getFirst() instanceof DimSlice.Range(var start, var count, var stride)
              && stride.isConst(-1)
              && count.equals(array.type().dims().getFirst())
              && RowsRead.isLast(labeller, start, count) ->
          Optional.of(array);
      case Screma s when isMap(s) && s.map().body().stms().size() == 2 -> reads(s);
      default -> Optional.empty();
    };
  }

  private boolean isRows(Var array) {
    return labeller.of(array).equals(new Label.Sharded(0));
  }

  private static boolean isMap(Screma s) {
    return s.scans().isEmpty() && s.reduces().isEmpty();
  }

  /** Recognises {@code map (\i -> xs[n - 1 - i]) (iota n)}. */
  private Optional<Var> reads(Screma s) {
    var stms = s.map().body().stms();
    return stms.getFirst().exp() instanceof Binary(var op, var last, Var i)
            && op == BinaryOp.SUB
            && RowsRead.isLast(labeller, last, s.width())
            && s.map().params().contains(i)
            && isCount(s.inputs().get(s.map().params().indexOf(i)))
            && stms.getLast().exp() instanceof Index(var array, var is, _)
            && is.equals(List.of(stms.getFirst().var()))
            && s.map().body().results().equals(List.of(stms.getLast().var()))
            && isRows(array)
            && array.type().dims().getFirst().equals(s.width())
        ? Optional.of(array)
        : Optional.empty();
  }

  private boolean isCount(Var array) {
    return labeller.definition(array) instanceof Iota iota && iota.isCounter();
  }

  /**
   * Returns statements that compute the same from the rows in their order, if the statement works
   * on nothing but reversed rows. The last statement is the one that does: a scan goes from the
   * last row to the first there.
   */
  Optional<List<Stm>> turned(Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || !labeller.spaces().has(s.width())
        || !s.reduces().isEmpty()
        || reversed(stm).isPresent()
        || Effects.observable(s)
        || s.inputs().stream().noneMatch(inOrder::containsKey)
        || !s.inputs().stream().allMatch(v -> inOrder.containsKey(v) || isCount(v))
        || FreeVars.of(new Screma(s.width(), List.of(), s.scans(), s.reduces(), s.map())).stream()
            .anyMatch(v -> labeller.of(v) != Label.REPLICATED && !v.equals(s.width()))) {
      return Optional.empty();
    }
    var b = new Builder(stm.span());
    var inputs = new ArrayList<Var>();
    for (var v : s.inputs()) {
      inputs.add(inOrder.containsKey(v) ? inOrder.get(v) : numbers(b, s.width()));
    }
    var same = new Screma(s.width(), inputs, s.scans(), s.reduces(), s.map());
    var pattern = stm.pattern().stream().map(Names::like).toList();
    b.with(stm.attrs()).bindAll(pattern, new Renaming().exp(same));
    for (int i = 0; i < pattern.size(); i++) {
      inOrder.put(stm.pattern().get(i), pattern.get(i));
    }
    return Optional.of(b.stms());
  }

  /** Says that the results of a statement that {@link #turned} gave aren't there. */
  void forget(Stm stm) {
    inOrder.values().removeAll(stm.pattern());
  }

  private static Var numbers(Builder b, Atom rows) {
    return b.bind("iota", new Iota(rows, b.sub(rows, Atom.i64(1)), Atom.i64(-1)));
  }
}
