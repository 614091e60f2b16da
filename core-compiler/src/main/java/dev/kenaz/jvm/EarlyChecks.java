package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks before loops what is checked in each iteration, so that the loops have no checks and can
 * run in vectors:
 *
 * <pre>
 *   for i &lt; m: check 2 * i + 1 &lt; n; y[i] = x[2 * i + 1]
 *     =&gt;  if 2 * (m - 1) + 1 &lt; n: for i &lt; m: y[i] = x[2 * i + 1]
 *         else the loop as it was
 * </pre>
 *
 * <p>What is checked is linear in the counters of the loops ({@link CheckRanges}), so it holds in
 * all iterations if it does at the counters' ends. Otherwise the loop as it was finds the first
 * iteration that fails, and does what comes before it.
 */
final class EarlyChecks {
  /** A loop whose body takes more bytes is better not made twice. */
  private static final int MOST_BYTES = 3000;

  /** A loop with fewer iterations isn't worth it. */
  private static final long LEAST_ITERATIONS = 8;

  private final Map<Reg, Integer> reads;

  private EarlyChecks(LoopFun function) {
    reads = Registers.reads(function);
  }

  /** Returns the function with such loops twice. */
  static LoopFun in(LoopFun function) {
    if (!CodeWalk.has(function.body(), Code.Check.class)) {
      return function;
    }
    var code = new EarlyChecks(function).in(function.body(), false);
    return code.equals(function.body()) ? function : function.with(code);
  }

  private List<Code> in(List<Code> code, boolean task) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      var twice =
          c instanceof Code.For f && CodeWalk.has(f.body(), Code.Check.class)
              ? twice(f, task)
              : Optional.<List<Code>>empty();
      out.addAll(twice.orElseGet(() -> List.of(inside(c))));
    }
    return out.equals(code) ? code : out;
  }

  private Code inside(Code c) {
    var next = CodeWalk.withInner(c, code -> in(code, c instanceof Code.Parallel));
    return next.equals(c) ? c : next;
  }

  private Optional<List<Code>> twice(Code.For f, boolean task) {
    boolean few = f.bound() instanceof Expr.Lit(var n) && n.bits() < LEAST_ITERATIONS;
    if (!f.independent()
        || few
        || Region.size(f.body()) > MOST_BYTES
        || !Operands.canBeRenamed(f.body())) {
      return Optional.empty();
    }
    return CheckRanges.of(f).map(r -> versions(f, r, task));
  }

  private List<Code> versions(Code.For f, CheckRanges ranges, boolean task) {
    var out = new ArrayList<>(ranges.before());
    var all = ranges.conditions();
    var plain = withoutChecks(List.of(f));
    if (all.isEmpty()) {
      out.addAll(plain);
      return out;
    }
    var holds = Expr.use(Reg.fresh("inside", Prim.BOOL));
    out.add(new Code.Set(holds.reg(), all.stream().reduce(LaneBlock::and).orElseThrow()));
    var fast = (Code.For) Operands.renamed(plain, names(f)).getFirst();
    if (task && !(f.bound() instanceof Expr.Lit)) {
      // The outermost loops of a task have methods of their own, which those in a branch have not.
      out.add(with(fast, new Expr.Select(holds, f.bound(), Expr.i64(0))));
      out.add(with(f, new Expr.Select(holds, Expr.i64(0), f.bound())));
    } else {
      out.add(new Code.If(holds, List.of(fast), List.of(f)));
    }
    return out;
  }

  private static Code.For with(Code.For f, Expr bound) {
    return new Code.For(f.i(), bound, f.body(), f.independent(), f.reductions());
  }

  /** Returns other names for the registers that nothing outside of the loop reads. */
  private Map<Reg, Expr> names(Code.For f) {
    var inside = Registers.reads(List.of(f));
    var kept = new HashSet<Reg>();
    f.reductions().forEach(r -> kept.add(r.reg()));
    var names = new HashMap<Reg, Expr>();
    for (var r : Registers.of(List.of(f)).assigned()) {
      boolean own = reads.getOrDefault(r, 0).equals(inside.getOrDefault(r, 0));
      if (own && !kept.contains(r)) {
        names.put(r, Expr.use(Reg.fresh(r.name(), r.prim())));
      }
    }
    return names;
  }

  private static List<Code> withoutChecks(List<Code> code) {
    return code.stream()
        .filter(c -> !(c instanceof Code.Check))
        .map(c -> CodeWalk.withInner(c, EarlyChecks::withoutChecks))
        .toList();
  }
}
