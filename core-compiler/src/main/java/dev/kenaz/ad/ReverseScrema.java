package dev.kenaz.ad;

import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.Components;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates the node that maps, scans and reduces at once. A map, also one whose results are
 * summed, is treated as a whole by {@link ReverseMap}: the adjoint of a sum is that of every
 * summand (003 §3.2.1). Anything else is first taken apart into the map and a node for each scan or
 * reduction, which have rules of their own: {@code reduce ⊙ (map f xs)} becomes {@code let ys = map
 * f xs in reduce ⊙ ys}.
 */
final class ReverseScrema {
  private ReverseScrema() {}

  static Reverse.Return forward(Reverse r, Builder b, Stm stm, Stm primal) {
    var s = OwnRows.asInputs((Screma) stm.exp(), r.forms(), r.activity);
    if (s.scans().isEmpty() && s.reduces().stream().allMatch(red -> isSum(r, red))) {
      r.plain(b, primal);
      return sweep -> mapped(r, sweep, stm.pattern(), s);
    }
    if (isIdentity(s)) {
      return operators(r, b, stm.pattern(), s, s.inputs());
    }
    var stms = apart(b, stm, s);
    return r.forward(b, stms);
  }

  private static boolean isSum(Reverse r, Reduce reduce) {
    return !r.options.generalOnly() && reduce.neutral().size() == 1 && Operators.isSum(reduce.op());
  }

  /** Whether the node does nothing but scan and reduce its inputs. */
  private static boolean isIdentity(Screma s) {
    return s.map().isIdentity() && s.map().params().size() == s.scanWidth() + s.reduceWidth();
  }

  private static void mapped(Reverse r, Sweep s, List<Var> pattern, Screma e) {
    if (pattern.stream().allMatch(s::isZero)) {
      return;
    }
    // the few elements of a sum of rows that have adjoints concern all rows
    if (pattern.subList(0, e.reduceWidth()).stream().allMatch(s::isZero)
        && pattern.stream().allMatch(v -> s.isZero(v) || s.get(v) instanceof Adjoint.Sparse)
        && e.inputs().stream().noneMatch(v -> v.type() instanceof Type.Acc)) {
      ReverseSparseMap.emit(r, s, pattern, e);
      return;
    }
    // a sum begins with what should be zero, but may depend on what is differentiated
    for (int i = 0; i < e.reduceWidth(); i++) {
      var neutral = e.reduces().get(i).neutral().getFirst();
      if (s.activity.active(neutral) && !s.isZero(pattern.get(i))) {
        s.add(neutral, s.value(pattern.get(i)), false);
      }
    }
    var seeds = new ArrayList<Seed>();
    for (int i = 0; i < pattern.size(); i++) {
      var v = pattern.get(i);
      boolean same = i < e.reduceWidth() || v.type() instanceof Type.Acc;
      if (s.isZero(v)) {
        seeds.add(new Seed.None());
      } else if (same) {
        seeds.add(new Seed.Same(s.takeValue(v)));
      } else if (s.get(v) instanceof Adjoint.Sparse) {
        seeds.add(new Seed.Rows((Var) s.takeValue(v)));
      } else {
        seeds.add(Seed.of(s.take(v)));
      }
    }
    ReverseMap.emit(r, s, pattern, e, seeds);
  }

  /**
   * Makes statements of the node: the map with its operands as arrays, then the operators over
   * them.
   */
  private static List<Stm> apart(Builder b, Stm stm, Screma s) {
    int k = s.scanWidth() + s.reduceWidth();
    List<Var> operands =
        s.map().body().results().subList(0, k).stream()
            .map(x -> Names.fresh("op", x.type().under(s.width())))
            .toList();
    var stms = new ArrayList<Stm>();
    var pattern = new ArrayList<>(operands);
    pattern.addAll(stm.pattern().subList(k, stm.pattern().size()));
    var map = new Screma(s.width(), s.inputs(), List.of(), List.of(), s.map());
    stms.add(stm.with(pattern, map));
    int at = 0;
    for (var scan : s.scans()) {
      int end = at + scan.neutral().size();
      var inputs = operands.subList(at, end);
      var exp = new Screma(s.width(), inputs, List.of(scan), List.of(), b.identity(inputs));
      stms.add(stm.with(stm.pattern().subList(at, end), exp));
      at = end;
    }
    for (var reduce : s.reduces()) {
      int end = at + reduce.neutral().size();
      var inputs = operands.subList(at, end);
      var exp = new Screma(s.width(), inputs, List.of(), List.of(reduce), b.identity(inputs));
      stms.add(stm.with(stm.pattern().subList(at, end), exp));
      at = end;
    }
    return stms;
  }

  /** Differentiates scans and reductions one after the other. */
  private static Reverse.Return operators(
      Reverse r, Builder b, List<Var> pattern, Screma s, List<Var> inputs) {
    var returns = new ArrayList<Reverse.Return>();
    int at = 0;
    for (var scan : s.scans()) {
      int end = at + scan.neutral().size();
      returns.add(
          ReverseScan.forward(
              r, b, pattern.subList(at, end), s.width(), inputs.subList(at, end), scan));
      at = end;
    }
    for (var reduce : s.reduces()) {
      int end = at + reduce.neutral().size();
      var own = pattern.subList(at, end);
      var operands = inputs.subList(at, end);
      for (var part : parts(r, reduce.op())) {
        var neutral = part.of(reduce.neutral());
        var one = new Reduce(part.op(), neutral, reduce.commutative());
        returns.add(ReverseReduce.forward(r, b, part.of(own), s.width(), part.of(operands), one));
      }
      at = end;
    }
    return sweep -> returns.reversed().forEach(x -> x.emit(sweep));
  }

  static List<Components.Part> parts(Reverse r, Lambda op) {
    return r.options.generalOnly() ? List.of(Components.whole(op)) : Components.parts(op);
  }
}
