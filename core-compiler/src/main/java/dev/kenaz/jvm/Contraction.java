package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.LoopFun;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes fused multiply-adds where a loop sums up products: one instruction instead of two, and one
 * rounding. The language leaves open in which order a sum is added up, so that its last digits are
 * open too; {@link MatrixProduct} does the same.
 *
 * <pre>
 *   for i &lt; n, add in s:  t = x * y; u = s + t; s = u
 *     =&gt;  for i &lt; n, add in s:  s = fma(x, y, s)
 * </pre>
 */
final class Contraction {
  private final Set<Reg> replaced = new HashSet<>();

  private Contraction() {}

  /** Returns the function with such sums. */
  static LoopFun in(LoopFun function) {
    var c = new Contraction();
    var code = c.in(function.body());
    if (c.replaced.isEmpty()) {
      return function;
    }
    return c.withoutUnread(function.with(code));
  }

  /**
   * Returns {@code op(total, x)}: in one instruction, if that is a sum of floats and x a product.
   */
  static Expr combined(BinaryOp op, Reg total, Expr x) {
    return op == BinaryOp.ADD
            && isFloat(total)
            && x instanceof Expr.Bin(var times, var a, var b)
            && times == BinaryOp.MUL
        ? new Expr.MulAdd(a, b, Expr.use(total))
        : new Expr.Bin(op, Expr.use(total), x);
  }

  private static boolean isFloat(Reg reg) {
    return reg.prim() == Prim.F32 || reg.prim() == Prim.F64;
  }

  private List<Code> in(List<Code> code) {
    return code.stream()
        .map(c -> CodeWalk.withInner(c, this::in))
        .map(c -> c instanceof Code.For f ? summed(f) : c)
        .toList();
  }

  private Code summed(Code.For f) {
    var body = f.body();
    for (var r : f.reductions()) {
      if (r.op() == BinaryOp.ADD && isFloat(r.reg())) {
        body = summed(r.reg(), body);
      }
    }
    return body == f.body()
        ? f
        : new Code.For(f.i(), f.bound(), body, f.independent(), f.reductions());
  }

  /** Returns the body with the product in the sum, if one statement adds one. */
  private List<Code> summed(Reg sum, List<Code> body) {
    int last = only(sum, body);
    if (last < 0) {
      return body;
    }
    var set = ((Code.Set) body.get(last)).value();
    int at = set instanceof Expr.Use(var t) ? only(t, body) : last;
    var total = definition(set, body, last, last);
    var old = Expr.use(sum);
    if (!(total instanceof Expr.Bin(var op, var x, var y))
        || op != BinaryOp.ADD
        || !x.equals(old) && !y.equals(old)) {
      return body;
    }
    var other = x.equals(old) ? y : x;
    var next = combined(op, sum, definition(other, body, at, last));
    if (!(next instanceof Expr.MulAdd)) {
      return body;
    }
    replaced(set);
    replaced(other);
    var out = new ArrayList<>(body);
    out.set(last, new Code.Set(sum, next));
    return out;
  }

  private void replaced(Expr e) {
    if (e instanceof Expr.Use(var reg)) {
      replaced.add(reg);
    }
  }

  /** Returns where the only statement is that sets the register, or -1. */
  private static int only(Reg reg, List<Code> body) {
    int at = -1;
    for (int k = 0; k < body.size(); k++) {
      var c = body.get(k);
      if (Registers.of(List.of(c)).assigned().contains(reg)) {
        if (at >= 0 || !(c instanceof Code.Set)) {
          return -1;
        }
        at = k;
      }
    }
    return at;
  }

  /**
   * Returns what a register stands for, if that can be computed elsewhere as well; otherwise the
   * expression itself.
   *
   * @param use the statement that reads the register
   * @param at the statement, not before that one, where it is to be computed
   */
  private static Expr definition(Expr e, List<Code> body, int use, int at) {
    if (!(e instanceof Expr.Use(var reg))) {
      return e;
    }
    int from = only(reg, body);
    if (from < 0 || from >= use) {
      return e;
    }
    var value = ((Code.Set) body.get(from)).value();
    var between = Registers.of(body.subList(from + 1, at)).assigned();
    return Operands.isPure(value) && !Operands.reads(value, between) ? value : e;
  }

  /** Leaves out what was set for the old sums only: the sum itself, and then the product. */
  private LoopFun withoutUnread(LoopFun function) {
    var unread = new HashSet<>(replaced);
    unread.removeAll(Registers.reads(function).keySet());
    return unread.isEmpty()
        ? function
        : withoutUnread(function.with(without(function.body(), unread)));
  }

  private List<Code> without(List<Code> code, Set<Reg> unread) {
    replaced.removeAll(unread);
    return code.stream()
        .filter(c -> !(c instanceof Code.Set(var reg, _)) || !unread.contains(reg))
        .map(c -> CodeWalk.withInner(c, inner -> without(inner, unread)))
        .toList();
  }
}
