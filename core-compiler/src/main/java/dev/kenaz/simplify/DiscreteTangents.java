package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.value.Prim;

/**
 * Finds functions that are differentiated and take integers or truth values, which then may have
 * tangents that matter. Inside such a function, two things that are equal may not replace each
 * other: {@code i} has a tangent after {@code i == 3} where 3 has none, and the elements of {@code
 * iota n} have that of n.
 */
final class DiscreteTangents {
  private DiscreteTangents() {}

  /** Whether the expression is the derivative of such a function. */
  static boolean areIn(Exp exp) {
    return switch (exp) {
      case Jvp(var f, _, _, _) -> matter(f);
      case Vjp(var f, _, _, _) -> matter(f);
      case null, default -> false;
    };
  }

  private static boolean matter(Lambda f) {
    return f.params().stream().anyMatch(p -> isDiscrete(p.type()))
        && (f.returns().stream().anyMatch(DiscreteTangents::isDiscrete) || becomeFloats(f.body()));
  }

  private static boolean isDiscrete(Type type) {
    return !type.elemPrim().isFloat();
  }

  private static boolean becomeFloats(Body body) {
    for (var stm : body.stms()) {
      boolean here =
          switch (stm.exp()) {
            case Convert(Prim to, var x) -> to.isFloat() && isDiscrete(x.type());
            case Unary(var op, _) -> op == UnaryOp.FROM_BITS;
            default -> Effects.bodies(stm.exp()).anyMatch(DiscreteTangents::becomeFloats);
          };
      if (here) {
        return true;
      }
    }
    return false;
  }
}
