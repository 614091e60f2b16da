package dev.kenaz.loops;

import dev.kenaz.ir.Var;
import dev.kenaz.loopir.Expr;
import dev.kenaz.segir.SegExp;
import dev.kenaz.segir.SegOp;
import java.util.List;
import java.util.function.Consumer;

/** Runs what is parallel on some kind of machine: adds code to the translation's scope. */
public interface Target {
  /** Binds the pattern to the operator's results. */
  void segOp(List<Var> pattern, SegOp op);

  /**
   * Runs the body at every point of the space, in any order.
   *
   * @param dims at least one
   * @param work roughly how many scalar operations a point takes
   */
  void points(List<Expr> dims, Expr work, Consumer<List<Expr>> body);

  /**
   * Whether the wider of two versions is better.
   *
   * @param points that are run in parallel by it
   */
  Expr wide(Expr points, SegExp.Versions versions);

  /**
   * Whether a loop may as well update a row where its result is wanted as in memory of its own. On
   * a GPU the latter may be registers.
   */
  default boolean updatesInPlace() {
    return false;
  }

  /**
   * Copies an array between memory in some special way.
   *
   * @param otherwise adds the ordinary code
   */
  default void copy(ArrayVal.View to, ArrayVal.View from, Runnable otherwise) {
    otherwise.run();
  }
}
