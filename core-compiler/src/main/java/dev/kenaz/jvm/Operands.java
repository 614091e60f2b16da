package dev.kenaz.jvm;

import dev.kenaz.loops.Expr;
import dev.kenaz.loops.Reg;
import java.util.Map;
import java.util.Set;

/** What expressions are made of. */
final class Operands {
  private Operands() {}

  /** The expression with others in place of registers. */
  static Expr substitute(Expr e, Map<Reg, Expr> map) {
    return switch (e) {
      case Expr.Lit l -> l;
      case Expr.Use(var reg) -> map.getOrDefault(reg, e);
      case Expr.Un(var op, var x, var prim) -> new Expr.Un(op, substitute(x, map), prim);
      case Expr.Conv(var prim, var x) -> new Expr.Conv(prim, substitute(x, map));
      case Expr.Bin(var op, var x, var y) ->
          new Expr.Bin(op, substitute(x, map), substitute(y, map));
      case Expr.Cmp(var op, var x, var y) ->
          new Expr.Cmp(op, substitute(x, map), substitute(y, map));
      case Expr.MulAdd(var x, var y, var z) ->
          new Expr.MulAdd(substitute(x, map), substitute(y, map), substitute(z, map));
      case Expr.Select(var c, var x, var y) ->
          new Expr.Select(substitute(c, map), substitute(x, map), substitute(y, map));
      case Expr.Load(var prim, var base, var index) ->
          new Expr.Load(prim, substitute(base, map), substitute(index, map));
    };
  }

  /** Whether it reads one of the registers. */
  static boolean reads(Expr e, Set<Reg> regs) {
    return switch (e) {
      case Expr.Lit _ -> false;
      case Expr.Use(var reg) -> regs.contains(reg);
      case Expr.Un(_, var x, _) -> reads(x, regs);
      case Expr.Conv(_, var x) -> reads(x, regs);
      case Expr.Bin(_, var x, var y) -> reads(x, regs) || reads(y, regs);
      case Expr.Cmp(_, var x, var y) -> reads(x, regs) || reads(y, regs);
      case Expr.MulAdd(var x, var y, var z) -> reads(x, regs) || reads(y, regs) || reads(z, regs);
      case Expr.Select(var c, var x, var y) -> reads(c, regs) || reads(x, regs) || reads(y, regs);
      case Expr.Load(_, var base, var index) -> reads(base, regs) || reads(index, regs);
    };
  }
}
