package dev.kenaz.jvm;

import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.util.Map;
import java.util.Set;

/** Reads and replaces the registers of expressions. */
final class Operands {
  private Operands() {}

  /** Returns the expression with other expressions in place of registers. */
  static Expr substitute(Expr e, Map<Reg, Expr> map) {
    return e instanceof Expr.Use(var reg)
        ? map.getOrDefault(reg, e)
        : e.map(x -> substitute(x, map));
  }

  /** Whether the expression reads one of the registers. */
  static boolean reads(Expr e, Set<Reg> regs) {
    return e instanceof Expr.Use(var reg)
        ? regs.contains(reg)
        : e.operands().stream().anyMatch(x -> reads(x, regs));
  }

  /**
   * Whether the expression can be evaluated where it isn't needed: it reads no memory and never
   * fails.
   */
  static boolean isPure(Expr e) {
    return switch (e) {
      case Expr.Lit _, Expr.Use _ -> true;
      case Expr.Un(_, var x, _) -> isPure(x);
      case Expr.Conv(_, var x) -> isPure(x);
      case Expr.Bin(var op, var x, var y) ->
          isPure(x)
              && isPure(y)
              && (x.prim().isFloat()
                  || switch (op) {
                    case DIV, MOD, QUOT, REM, POW -> false;
                    default -> true;
                  });
      case Expr.Cmp(_, var x, var y) -> isPure(x) && isPure(y);
      case Expr.Size(var x, var y) -> isPure(x) && isPure(y);
      case Expr.MulAdd(var x, var y, var z) -> isPure(x) && isPure(y) && isPure(z);
      case Expr.Select(var c, var x, var y) -> isPure(c) && isPure(x) && isPure(y);
      case Expr.Load _ -> false;
    };
  }
}
