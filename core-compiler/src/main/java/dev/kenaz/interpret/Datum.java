package dev.kenaz.interpret;

import dev.kenaz.ir.Exp;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.Optional;

/** This is a value that a variable has while a program runs. */
sealed interface Datum permits Datum.Num, Datum.Acc, Arr {

  /** A scalar. */
  sealed interface Num extends Datum permits Plain, Dual, Taped {
    /** Returns the number without its derivatives. */
    ScalarValue value();
  }

  record Plain(ScalarValue value) implements Num {}

  /**
   * A scalar with its tangent under one of the derivatives that are being taken.
   *
   * @param level the derivative; both parts are of lower levels
   */
  record Dual(Level level, Num primal, Num tangent) implements Num {
    @Override
    public ScalarValue value() {
      return primal.value();
    }
  }

  /**
   * A scalar whose computation a reverse derivative has recorded.
   *
   * @param primal the number, which is of a lower level than the tape
   * @param node the entry of the tape
   */
  record Taped(Tape tape, Num primal, int node) implements Num {
    @Override
    public ScalarValue value() {
      return primal.value();
    }
  }

  /**
   * One of the derivatives that are being taken.
   *
   * @param depth how many derivatives are around this one, counted from 1
   */
  record Level(int depth) {
    /** The level of ordinary numbers. */
    static final Level NONE = new Level(0);
  }

  /** An accumulator. It has the arrays themselves, which it changes in place. */
  record Acc(List<Arr> arrays, int indexed, Optional<Exp.Combine> combine) implements Datum {}

  static Num of(ScalarValue value) {
    return new Plain(value);
  }
}
