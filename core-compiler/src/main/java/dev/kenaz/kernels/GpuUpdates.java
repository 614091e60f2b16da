package dev.kenaz.kernels;

import dev.kenaz.flatten.SegOp;
import dev.kenaz.flatten.SegOp.SegHist;
import dev.kenaz.flatten.SegOp.SegScatter;
import dev.kenaz.ir.Var;
import dev.kenaz.loops.Accs;
import dev.kenaz.loops.Expr;
import dev.kenaz.loops.FreeAccs;
import dev.kenaz.loops.Val;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Histograms, scatters, and accumulators that a kernel's threads share. */
final class GpuUpdates {
  /** Locks of an accumulator whose operator has no indivisible form. */
  static final long LOCKS = 1 << 14;

  private final GpuTarget target;

  GpuUpdates(GpuTarget target) {
    this.target = target;
  }

  /** Runs the action with accumulators that the operator's body updates made fit for sharing. */
  void sharing(SegOp op, Runnable action) {
    Map<Var, Val.Acc> before = new LinkedHashMap<>();
    for (var v : FreeAccs.of(op.body())) {
      if (target.scope.bound(v)) {
        before.put(v, target.scope.acc(v));
      }
    }
    Map<Val.Acc, Val.Acc> shared = new LinkedHashMap<>();
    before.forEach((v, acc) -> target.scope.bind(v, shared.computeIfAbsent(acc, this::shared)));
    action.run();
    before.forEach(target.scope::bind);
  }

  void hist(List<Var> pattern, SegHist h) {
    var accs = h.ops().stream().map(target.soacs::histAcc).toList();
    sharing(h, () -> updates(h, "histogram", accs.stream().map(this::shared).toList()));
    target.soacs.bindArrays(pattern, accs);
  }

  void scatter(List<Var> pattern, SegScatter s) {
    var accs = s.dests().stream().map(target.soacs::scatterAcc).toList();
    sharing(s, () -> updates(s, "scatter", accs));
    target.soacs.bindArrays(pattern, accs);
  }

  private void updates(SegOp op, String what, List<Val.Acc> accs) {
    var dims = target.scope.scalars(op.space().widths());
    target.perPoint(
        what,
        dims,
        point -> {
          target.bind(op, point);
          target.soacs.updates(accs, target.lowering.body(op.body()));
        });
  }

  /** The accumulator for many threads at once: with locks if its operator needs them. */
  private Val.Acc shared(Val.Acc acc) {
    if (acc.combine().isEmpty() || acc.atomic()) {
      return acc;
    }
    if (Accs.elementwise(acc.combine().get().op()).isPresent()) {
      return acc.shared(Expr.i64(0), 0);
    }
    var locks = target.scope.allocate("locks", Prim.I32, new ArrayList<>(List.of(Expr.i64(LOCKS))));
    target.perPoint(
        "clear locks", locks.dims(), i -> target.arrays.store(locks, i, Expr.zero(Prim.I32)));
    return acc.shared(locks.base(), LOCKS);
  }
}
