package dev.kenaz.elementary;

import java.util.List;

/**
 * One operation of a formula.
 *
 * @param operands the numbers of earlier steps
 * @param real a constant's value
 * @param whole a constant's value, by how many bits is shifted, or an argument's number from 0
 */
public record Step(Kind kind, List<Integer> operands, double real, long whole) {
  /** What the operation does, and what its result is: a float, an integer as wide, or a truth. */
  public enum Kind {
    /** One of the function's arguments: a float. */
    ARGUMENT,
    /** A float. */
    REAL,
    /** An integer. */
    WHOLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    /** Returns {@code x * y + z}, rounded once. */
    FUSE,
    /** Takes a float's bits as an integer. */
    BITS,
    /** Takes an integer's bits as a float. */
    FLOAT,
    /** Adds integers, wrapping. */
    PLUS,
    /** Subtracts integers, wrapping. */
    MINUS,
    AND,
    OR,
    XOR,
    /** Shifts to the left. */
    LEFT,
    /** Shifts to the right; zeros come in. */
    RIGHT,
    /** Whether one float is less than another. */
    LESS,
    /** Whether one float is not greater than another; false for NaN. */
    AT_MOST,
    /** Whether two truths hold. */
    BOTH,
    /** Whether one of two truths holds. */
    EITHER,
    /** Takes the second operand, a float, where the first is true, and the third elsewhere. */
    CHOOSE
  }

  public Step {
    operands = List.copyOf(operands);
  }

  /** Returns the number of an operand. */
  public int operand(int k) {
    return operands.get(k);
  }
}
