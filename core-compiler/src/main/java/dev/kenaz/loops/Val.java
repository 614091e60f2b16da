package dev.kenaz.loops;

import dev.kenaz.ir.Exp.Combine;
import java.util.List;
import java.util.Optional;

/** What a variable of the program stands for during the translation. */
sealed interface Val permits Val.Scalar, Val.Acc, ArrayVal {

  /** A literal or a register. */
  record Scalar(Expr expr) implements Val {}

  /**
   * An accumulator.
   *
   * @param space the sizes that updates index
   * @param arrays contiguous, in place
   * @param combine absent: updates replace
   * @param atomic whether other tasks update the same memory meanwhile
   */
  record Acc(
      List<Expr> space, List<ArrayVal.View> arrays, Optional<Combine> combine, boolean atomic)
      implements Val {}
}
