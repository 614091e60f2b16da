package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.Expr;
import java.util.List;

/**
 * Finds short loops, such as those over the coordinates of a point, whose iterations are written
 * out.
 */
final class Unrolling {
  private static final int MOST_TIMES = 7;
  private static final int MOST_BYTES = 500;

  private Unrolling() {}

  /** How many iterations are written out; -1 if the loop stays one. */
  static int times(Code.For f) {
    boolean few =
        f.bound() instanceof Expr.Lit n && n.value().bits() >= 0 && n.value().bits() <= MOST_TIMES;
    if (!few || !plain(f.body())) {
      return -1;
    }
    int times = (int) ((Expr.Lit) f.bound()).value().bits();
    return times * Region.size(f.body()) <= MOST_BYTES ? times : -1;
  }

  private static boolean plain(List<Code> code) {
    return code.stream()
        .allMatch(
            c ->
                switch (c) {
                  case Code.Set _, Code.Store _, Code.Check _ -> true;
                  case Code.If(_, var then, var otherwise) -> plain(then) && plain(otherwise);
                  case Code.For f -> plain(f.body());
                  default -> false;
                });
  }
}
