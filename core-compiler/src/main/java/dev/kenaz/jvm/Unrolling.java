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

  /**
   * In vectors a loop may become larger: what its iterations load at a stride can't be loaded in a
   * loop, and so it would have no vectors at all.
   */
  private static final int MOST_VECTOR_BYTES = 1000;

  private Unrolling() {}

  /** How many iterations are written out; -1 if the loop stays one. */
  static int times(Code.For f) {
    return times(f, MOST_BYTES);
  }

  /** How many iterations are written out in a loop of vectors; -1 if the loop stays one. */
  static int timesInVectors(Code.For f) {
    return times(f, MOST_VECTOR_BYTES);
  }

  private static int times(Code.For f, int most) {
    boolean few =
        f.bound() instanceof Expr.Lit n && n.value().bits() >= 0 && n.value().bits() <= MOST_TIMES;
    if (!few || !plain(f.body())) {
      return -1;
    }
    int times = (int) ((Expr.Lit) f.bound()).value().bits();
    return times * Region.size(f.body()) <= most ? times : -1;
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
