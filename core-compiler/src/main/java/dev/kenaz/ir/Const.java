package dev.kenaz.ir;

import dev.kenaz.value.ScalarValue;

/** A constant is a scalar value that is known to the compiler. */
public record Const(ScalarValue value) implements Atom {
  @Override
  public Type type() {
    return Type.scalar(value.prim());
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
