package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Var;
import java.util.List;

/** What a return sweep knows about a variable's adjoint so far. No entry at all means zero. */
sealed interface Adjoint {
  /**
   * This is the adjoint itself.
   *
   * @param owned whether nothing else refers to this array, so that it may be updated in place
   */
  record Value(Atom atom, boolean owned) implements Adjoint {}

  /**
   * An adjoint that can only be added to: inside a map, the adjoint of an array from outside is an
   * accumulator (001 §5.4). Its successor replaces it at every update.
   */
  record Accumulator(Var acc) implements Adjoint {}

  /** An array each of whose rows is this atom, which is what the return sweep of a sum leaves. */
  record Broadcast(Atom row) implements Adjoint {}

  /**
   * An array that is zero except for a few rows (001 §5.1.1), which is what the return sweeps of
   * reading elements, and of minima and maxima, leave.
   */
  record Sparse(List<Entry> entries) implements Adjoint {
    public Sparse {
      entries = List.copyOf(entries);
    }
  }

  /**
   * One row of a sparse adjoint; rows of the same index add up.
   *
   * @param inBounds whether the index is known to be one; otherwise it may be -1, and then there is
   *     no such row
   */
  record Entry(Atom index, Atom row, boolean inBounds) {}
}
