package dev.kenaz.loopir;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Removes conditions that hold because a loop's counter is at least 0 and less than the loop's
 * bound. Updates of accumulators have such conditions, and a branch keeps a loop from being changed
 * otherwise.
 */
public final class CounterBounds {
  private static final Expr TRUE = Expr.bool(true);

  private CounterBounds() {}

  /** Returns the function without such conditions. */
  public static LoopFun without(LoopFun function) {
    return function.with(without(function.body()));
  }

  static List<Code> without(List<Code> code) {
    return without(code, Set.of());
  }

  /**
   * Returns the code without conditions that are known.
   *
   * @param known comparisons that hold everywhere in the code
   */
  private static List<Code> without(List<Code> code, Set<Expr> known) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      if (c instanceof Code.If(var condition, var then, var otherwise)) {
        var left = left(condition, known);
        var inner = without(then, known);
        if (left.equals(TRUE)) {
          out.addAll(inner);
        } else {
          out.add(new Code.If(left, inner, without(otherwise, known)));
        }
      } else {
        out.add(CodeWalk.withInner(c, body -> without(body, inside(c, body, known))));
      }
    }
    return out;
  }

  private static Set<Expr> inside(Code c, List<Code> body, Set<Expr> known) {
    if (!(c instanceof Code.For f)) {
      return known;
    }
    // The bound is evaluated once, so in the body it must still be what it was.
    var changed = new HashSet<>(Registers.of(body).assigned());
    boolean fixed = !changed.contains(f.i());
    var all = new HashSet<>(known);
    var i = Expr.use(f.i());
    if (fixed) {
      all.add(new Expr.Cmp(CompareOp.LE, Expr.i64(0), i));
    }
    if (fixed && !changes(f.bound(), changed)) {
      all.add(new Expr.Cmp(CompareOp.LT, i, f.bound()));
    }
    return all;
  }

  private static boolean changes(Expr e, Set<Reg> changed) {
    return e instanceof Expr.Load
        || e instanceof Expr.Use(var reg) && changed.contains(reg)
        || e.operands().stream().anyMatch(x -> changes(x, changed));
  }

  /** Returns what is left of a conjunction. */
  private static Expr left(Expr condition, Set<Expr> known) {
    if (known.contains(condition)) {
      return TRUE;
    }
    if (condition instanceof Expr.Bin(var op, var x, var y)
        && op == BinaryOp.AND
        && condition.prim() == Prim.BOOL) {
      var a = left(x, known);
      var b = left(y, known);
      return a.equals(TRUE) ? b : b.equals(TRUE) ? a : new Expr.Bin(op, a, b);
    }
    return condition;
  }
}
