package dev.kenaz.distribute;

import dev.kenaz.ir.Lambda;
import java.util.List;

/** How a variable's value is spread over the pieces of the dataset. */
sealed interface Label {
  /** The same everywhere. */
  record Replicated() implements Label {}

  /** Every piece has its part of dimension {@code dim}; the parts in order are the whole. */
  record Sharded(int dim) implements Label {}

  /**
   * Every piece has a value of the full shape; combining them all with the operator is the whole.
   *
   * @param group the operator that this is an operand of
   * @param position which operand
   */
  record Partial(Group group, int position) implements Label {}

  /**
   * An associative operator on one or more values together.
   *
   * @param op parameters are left operands, then right ones
   * @param commutative whether the pieces may be combined in any order
   * @param source how messages call it
   */
  record Group(Lambda op, boolean commutative, String source) {
    int size() {
      return op.returns().size();
    }
  }

  /**
   * An accumulator over a replicated space: every piece collects its own updates.
   *
   * @param group how an update is combined with what is there
   */
  record Collecting(Group group) implements Label {}

  Label REPLICATED = new Replicated();

  static List<Label> replicated(int n) {
    return java.util.Collections.nCopies(n, REPLICATED);
  }
}
