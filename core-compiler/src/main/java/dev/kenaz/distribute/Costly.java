package dev.kenaz.distribute;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.UnaryOp;
import java.util.EnumSet;
import java.util.Set;

/** Says what costs more to compute again for each row than to keep. */
final class Costly {
  /** Operations that cost about as much as reading their operand from memory. */
  private static final Set<UnaryOp> CHEAP =
      EnumSet.of(
          UnaryOp.NEG,
          UnaryOp.NOT,
          UnaryOp.ABS,
          UnaryOp.SGN,
          UnaryOp.SQRT,
          UnaryOp.FLOOR,
          UnaryOp.CEIL,
          UnaryOp.ROUND,
          UnaryOp.TRUNC,
          UnaryOp.ISNAN,
          UnaryOp.ISINF);

  private Costly() {}

  /** Whether computing a row takes an operator or a loop of its own, or a function like exp. */
  static boolean isCostly(Exp exp) {
    return switch (exp) {
      case Screma s ->
          !s.scans().isEmpty() || s.map().body().stms().stream().anyMatch(t -> costs(t.exp()));
      case Loop _ -> true;
      default -> false;
    };
  }

  private static boolean costs(Exp exp) {
    return switch (exp) {
      case Soac _, Loop _ -> true;
      case Unary(var op, var x) -> x.type().elemPrim().isFloat() && !CHEAP.contains(op);
      case Binary(var op, _, _) -> op == BinaryOp.POW || op == BinaryOp.ATAN2;
      default -> Effects.bodies(exp).anyMatch(b -> b.stms().stream().anyMatch(s -> costs(s.exp())));
    };
  }
}
