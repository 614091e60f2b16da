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
}
