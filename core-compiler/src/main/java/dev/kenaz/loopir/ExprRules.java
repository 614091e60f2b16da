package dev.kenaz.loopir;

import static dev.kenaz.ir.IllFormed.require;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.IllFormed;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * These are the types of loop IR's expressions and operands. What doesn't fit is {@link IllFormed}.
 */
final class ExprRules {
  private ExprRules() {}

  /** Checks what the expression is made of against its operator; not what registers hold. */
  static void check(Expr e) {
    e.operands().forEach(ExprRules::check);
    switch (e) {
      case Expr.Lit _, Expr.Use _, Expr.Conv _ -> {}
      case Expr.Un(var op, var x, var prim) -> {
        require(op.takes(x.prim()), op + " of " + text(x));
        require(prim == op.result(x.prim()), op + " of " + text(x) + " isn't " + prim.text());
      }
      case Expr.Bin(var op, var x, var y) -> {
        require(op.takes(x.prim()), op + " of " + text(x));
        agree(op == BinaryOp.LDEXP ? Prim.I32 : x.prim(), y, op + "'s second operand");
      }
      case Expr.Cmp(var op, var x, var y) -> agree(x.prim(), y, op + "'s second operand");
      case Expr.Size(var x, var y) -> words(List.of(x, y), "a size");
      case Expr.MulAdd(var x, var y, var z) -> {
        require(x.prim() != Prim.BOOL, "a sum of " + text(x));
        agree(x.prim(), y, "a factor");
        agree(x.prim(), z, "an addend");
      }
      case Expr.Select(var c, var x, var y) -> {
        condition(c);
        agree(x.prim(), y, "the other choice");
      }
      case Expr.Load(_, var base, var index) -> words(List.of(base, index), "an address");
    }
  }

  static void agree(Prim expected, Expr e, String what) {
    if (e.prim() != expected) {
      throw new IllFormed(what + " is " + text(e) + ", expected " + expected.text());
    }
  }

  static void condition(Expr e) {
    agree(Prim.BOOL, e, "a condition");
  }

  static void words(List<Expr> all, String what) {
    all.forEach(e -> agree(Prim.I64, e, what));
  }

  private static String text(Expr e) {
    return LoopPrinter.print(e) + " of type " + e.prim().text();
  }
}
