package dev.kenaz.ir;

import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import java.io.Serializable;

/** An operand is a constant or a variable. Its type is known without looking at the program. */
public sealed interface Atom extends Serializable permits Const, Var {
  Type type();

  static Const i64(long value) {
    return new Const(ScalarValue.i64(value));
  }

  static Const bool(boolean value) {
    return new Const(ScalarValue.bool(value));
  }

  /** Returns the value converted to the type, as for a small literal such as 0 or 1. */
  static Const of(Prim prim, double value) {
    return new Const(ScalarValue.ofDouble(prim, value));
  }

  default boolean isConst(double value) {
    return this instanceof Const(var c) && c.asDouble() == value;
  }
}
