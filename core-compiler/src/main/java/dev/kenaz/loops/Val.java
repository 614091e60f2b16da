package dev.kenaz.loops;

import dev.kenaz.ir.Exp.Combine;
import dev.kenaz.loopir.Band;
import dev.kenaz.loopir.Expr;
import java.util.List;
import java.util.Optional;

/** What a variable of the program stands for during the translation. */
public sealed interface Val permits Val.Scalar, Val.Acc, ArrayVal {

  /** A scalar is a literal or a register. */
  record Scalar(Expr expr) implements Val {}

  /**
   * An accumulator is arrays that are updated in place.
   *
   * @param space the sizes that updates index
   * @param arrays contiguous, in place
   * @param combine how updates combine; if it is absent they replace
   * @param atomic whether other tasks update the same memory meanwhile
   * @param locks of a GPU: address of i32 locks for an operator that has no indivisible form
   * @param lockCount how many locks there are
   * @param range the only places that are updated, if present
   * @param read the only elements of the last two dimensions that are read later, if present
   */
  record Acc(
      List<Expr> space,
      List<ArrayVal.View> arrays,
      Optional<Combine> combine,
      boolean atomic,
      Expr locks,
      long lockCount,
      Optional<Range> range,
      Optional<Band> read)
      implements Val {
    /** Returns an accumulator that only one task updates. */
    public Acc(List<Expr> space, List<ArrayVal.View> arrays, Optional<Combine> combine) {
      this(space, arrays, combine, false, Expr.i64(0), 0, Optional.empty(), Optional.empty());
    }

    /** Returns the accumulator where many threads update it. */
    public Acc shared(Expr newLocks, long count) {
      return new Acc(space, arrays, combine, true, newLocks, count, range, read);
    }

    /** Returns the accumulator with its arrays elsewhere. */
    public Acc at(List<ArrayVal.View> newArrays) {
      return new Acc(space, newArrays, combine, atomic, locks, lockCount, range, read);
    }

    /** Returns the accumulator with as many other locks. */
    public Acc with(Expr newLocks) {
      return new Acc(space, arrays, combine, atomic, newLocks, lockCount, range, read);
    }

    public Acc within(Range newRange) {
      return new Acc(space, arrays, combine, atomic, locks, lockCount, Optional.of(newRange), read);
    }

    /** Returns the accumulator of which only these elements are read. */
    public Acc read(Band band) {
      return new Acc(space, arrays, combine, atomic, locks, lockCount, range, Optional.of(band));
    }
  }

  /** This is a range of row-major numbers of places; the last one isn't in it. */
  record Range(Expr from, Expr to) {}
}
