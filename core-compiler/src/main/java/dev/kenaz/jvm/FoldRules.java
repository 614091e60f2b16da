package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.jvm.VectorLoop.Fold;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Recognises what each iteration of a loop combines into a register.
 *
 * @param definitions what registers are that the body sets once
 * @param folded the registers that the loop reduces into
 */
record FoldRules(Code.For loop, Map<Reg, Expr> definitions, Set<Reg> folded) {
  /** Recognises {@code reg = op(reg, x)}, perhaps through a temporary. */
  Fold fold(Reg reg, Expr e) throws Unsuitable {
    var combined = e instanceof Expr.Use(var t) ? definitions.get(t) : e;
    if (combined instanceof Expr.MulAdd(var x, var y, var z) && z.equals(Expr.use(reg))) {
      combined = new Expr.Bin(BinaryOp.ADD, z, new Expr.Bin(BinaryOp.MUL, x, y));
    }
    for (var r : loop.reductions()) {
      if (r.reg().equals(reg)
          && combined instanceof Expr.Bin(var op, var x, var y)
          && op == r.op()) {
        if (x.equals(Expr.use(reg)) && !Operands.reads(y, folded)) {
          return new Fold(reg, op, y);
        }
        if (y.equals(Expr.use(reg)) && !Operands.reads(x, folded)) {
          return new Fold(reg, op, x);
        }
      }
    }
    throw new Unsuitable("carries a value that is not a plain reduction");
  }

  /**
   * Returns the condition where one is added, or which is itself combined; null if that isn't what
   * is combined.
   */
  Expr counted(Fold f) {
    if (f.reg().prim() == Prim.BOOL && (f.op() == BinaryOp.OR || f.op() == BinaryOp.AND)) {
      return f.operand();
    }
    boolean whole = f.reg().prim() == Prim.I64 || f.reg().prim() == Prim.I32;
    if (f.op() != BinaryOp.ADD || !whole) {
      return null;
    }
    return condition(f.operand() instanceof Expr.Use(var t) ? definitions.get(t) : f.operand());
  }

  /** Returns the condition whose number this is, 1 or 0; null if it is no such number. */
  private static Expr condition(Expr e) {
    return switch (e) {
      case Expr.Select(var c, var one, var zero)
          when Expr.isConst(one, 1) && Expr.isConst(zero, 0) ->
          c;
      case Expr.Conv(_, var c) when c.prim() == Prim.BOOL -> c;
      case null, default -> null;
    };
  }

  /**
   * Returns the code with conditions that are counted in the additions themselves. The numbers that
   * they were, which no vector needs, would else decide how many lanes vectors have.
   *
   * @param folded the registers that the loop reduces into
   */
  static List<Code> withCountsInPlace(List<Code> code, Set<Reg> folded) {
    var reads = Registers.reads(code);
    var sets = Registers.sets(code);
    var numbers = new HashMap<Expr, Expr>();
    for (var c : code) {
      if (c instanceof Code.Set(var reg, var number)
          && condition(number) instanceof Expr.Use(var condition)
          && reads.getOrDefault(reg, 0) == 1
          && sets.get(reg) == 1
          && sets.getOrDefault(condition, 1) == 1) {
        numbers.put(Expr.use(reg), number);
      }
    }
    var counted = new HashSet<Expr>();
    var out = new ArrayList<Code>();
    for (var c : code) {
      if (c instanceof Code.Set(var reg, Expr.Bin(var op, Expr.Use(var sum), var number))
          && op == BinaryOp.ADD
          && folded.contains(sum)
          && numbers.containsKey(number)) {
        counted.add(number);
        out.add(new Code.Set(reg, new Expr.Bin(op, Expr.use(sum), numbers.get(number))));
      } else {
        out.add(c);
      }
    }
    out.removeIf(c -> c instanceof Code.Set(var reg, _) && counted.contains(Expr.use(reg)));
    return out;
  }
}
