package dev.kenaz.jvm;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.loopir.Expr;
import dev.kenaz.value.Prim;
import java.util.Optional;
import java.util.OptionalLong;

/** How a value varies from one iteration of a loop to the next. */
sealed interface Shape {
  /** It doesn't vary. */
  record Uniform() implements Shape {}

  /** An i64 that grows by {@code step} in each iteration. */
  record Affine(long step) implements Shape {
    /** Returns the shape of an operator's result, given its operands and their steps. */
    static Optional<Shape> of(BinaryOp op, Expr x, long p, Expr y, long q) {
      var step =
          switch (op) {
            case ADD -> OptionalLong.of(p + q);
            case SUB -> OptionalLong.of(p - q);
            case MUL ->
                y instanceof Expr.Lit(var c)
                    ? times(p, c.bits())
                    : x instanceof Expr.Lit(var c) ? times(q, c.bits()) : OptionalLong.empty();
            default -> OptionalLong.empty();
          };
      boolean small = step.isPresent() && (int) step.getAsLong() == step.getAsLong();
      return small ? Optional.of(new Affine(step.getAsLong())) : Optional.empty();
    }

    private static OptionalLong times(long step, long factor) {
      boolean small = (int) factor == factor;
      return small ? OptionalLong.of(step * factor) : OptionalLong.empty();
    }
  }

  /** A vector of this type or, for bools, a mask. */
  record Varying(Prim prim) implements Shape {}
}
