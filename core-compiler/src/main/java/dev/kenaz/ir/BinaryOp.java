package dev.kenaz.ir;

import dev.kenaz.value.Prim;

/**
 * These are scalar functions of two arguments of one type, which is also the result's type. Integer
 * arithmetic wraps. Integer division and remainder by zero is a run-time error at the statement's
 * span.
 */
public enum BinaryOp {
  ADD,
  SUB,
  MUL,
  /** Rounds towards negative infinity for integers. */
  DIV,
  /** Has the divisor's sign for integers, the dividend's for floats, as C's fmod. */
  MOD,
  /** Integer division that rounds towards zero. */
  QUOT,
  /** Integer remainder that has the dividend's sign. */
  REM,
  /** For integers the exponent must not be negative, which is a run-time error. */
  POW,
  /** For floats, the result is the other argument if one is NaN. */
  MIN,
  MAX,
  /** Works on the bits of integers, and on truth values. */
  AND,
  OR,
  XOR,
  SHL,
  /** Shifts in copies of the sign bit for signed types, and zeros for unsigned ones. */
  SHR,
  /** Shifts in zeros for every integer type. */
  USHR,
  ATAN2,
  HYPOT,
  COPYSIGN,
  NEXTAFTER,
  /** {@code x * 2^n}; the second argument is an i32. */
  LDEXP,
  /** Returns the upper half of the product, which has twice as many bits. */
  MUL_HI;

  /** Whether there is such a function of scalars of this type. */
  public boolean takes(Prim x) {
    return switch (this) {
      case MUL, MIN, MAX -> true;
      case ADD, SUB, DIV, MOD, QUOT, REM, POW -> x != Prim.BOOL;
      case AND, OR, XOR -> !x.isFloat();
      case SHL, SHR, USHR, MUL_HI -> x.isInteger();
      case ATAN2, HYPOT, COPYSIGN, NEXTAFTER, LDEXP -> x.isFloat();
    };
  }

  /** Returns whether the operator associates and commutes, for floats up to rounding. */
  public boolean isCommutativeMonoid() {
    return switch (this) {
      case ADD, MUL, MIN, MAX, AND, OR, XOR -> true;
      default -> false;
    };
  }
}
