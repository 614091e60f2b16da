package dev.kenaz.jvm;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Reg;
import java.util.ArrayList;
import java.util.List;
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

  /**
   * Returns code with other registers, or with expressions in place of those that it only reads.
   */
  static List<Code> renamed(List<Code> code, Map<Reg, Expr> names) {
    var out = new ArrayList<Code>();
    for (var c : code) {
      out.add(
          switch (c) {
            case Code.Set(var reg, var e) ->
                new Code.Set(renamed(reg, names), substitute(e, names));
            case Code.Store(var prim, var base, var index, var value) ->
                new Code.Store(
                    prim,
                    substitute(base, names),
                    substitute(index, names),
                    substitute(value, names));
            case Code.If(var condition, var then, var otherwise) ->
                new Code.If(
                    substitute(condition, names), renamed(then, names), renamed(otherwise, names));
            case Code.For(var i, var bound, var body, var independent, var reductions) ->
                new Code.For(
                    renamed(i, names),
                    substitute(bound, names),
                    renamed(body, names),
                    independent,
                    reductions.stream()
                        .map(r -> new Code.Reduction(renamed(r.reg(), names), r.op()))
                        .toList());
            case Code.Check(var condition, var fault, var arguments) ->
                new Code.Check(
                    substitute(condition, names),
                    fault,
                    arguments.stream().map(e -> substitute(e, names)).toList());
            default -> throw new CompilerBug("jvm", "a statement that can't be copied");
          });
    }
    return out;
  }

  /** Whether the code has only statements that {@link #renamed} knows. */
  static boolean canBeRenamed(List<Code> code) {
    return code.stream().allMatch(Operands::canBeRenamed);
  }

  private static boolean canBeRenamed(Code c) {
    return switch (c) {
      case Code.Set _, Code.Store _, Code.Check _, Code.If _, Code.For _ ->
          CodeWalk.inner(c).stream().allMatch(Operands::canBeRenamed);
      default -> false;
    };
  }

  private static Reg renamed(Reg reg, Map<Reg, Expr> names) {
    return names.get(reg) instanceof Expr.Use(var other) ? other : reg;
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
                  || y instanceof Expr.Lit(var n) && n.bits() > 0
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
