package dev.kenaz.interpret;

import dev.kenaz.ir.Exp;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.Optional;

/** What a variable stands for while a program runs. */
sealed interface Datum permits Datum.Num, Datum.Acc, Arr {

  /** A scalar. */
  sealed interface Num extends Datum permits Plain, Dual {
    /** Without any tangents. */
    ScalarValue value();
  }

  record Plain(ScalarValue value) implements Num {}

  /**
   * A scalar with its tangent under one of the derivatives that are being taken.
   *
   * @param level which derivative: inner ones have higher levels; both parts are of lower levels
   */
  record Dual(int level, Num primal, Num tangent) implements Num {
    @Override
    public ScalarValue value() {
      return primal.value();
    }
  }

  /** An accumulator: the arrays themselves, changed in place. */
  record Acc(List<Arr> arrays, int indexed, Optional<Exp.Combine> combine) implements Datum {}

  static Num of(ScalarValue value) {
    return new Plain(value);
  }

  static Num i64(long value) {
    return new Plain(ScalarValue.i64(value));
  }
}
