package dev.kenaz.distribute;

import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;

/**
 * Decides what may be done to the pieces' shares of a sum before they are added: what is linear,
 * whatever the numbers are. A factor that may be infinite, or a divisor that may be zero, would
 * turn an empty piece's zero into NaN.
 */
final class LinearLabels {
  private final Labeller labeller;
  private final Stm stm;

  LinearLabels(Labeller labeller, Stm stm) {
    this.labeller = labeller;
    this.stm = stm;
  }

  Limitation combinedFirst() {
    return Undistributable.at(
        stm.span(),
        "the combined value is needed inside a parallel operator, a loop or a branch",
        "compute what needs the whole dataset first, outside, and use its result here");
  }

  boolean isSum(Label label) {
    return label instanceof Label.Partial p && p.group().isPlus();
  }

  Label plusOf(Type type) {
    return new Label.Partial(Label.Group.plus(type), 0);
  }

  Label unary(UnaryOp op, Atom x) {
    if (op == UnaryOp.NEG && isSum(labeller.of(x))) {
      return labeller.of(x);
    }
    throw combinedFirst();
  }

  Label binary(BinaryOp op, Atom x, Atom y) {
    boolean left = isSum(labeller.of(x));
    boolean right = isSum(labeller.of(y));
    boolean linear =
        switch (op) {
          case ADD, SUB -> left && right;
          case MUL -> left && isFactor(y) || right && isFactor(x);
          case DIV -> left && isDivisor(y);
          default -> false;
        };
    if (!linear) {
      throw combinedFirst();
    }
    return labeller.of(left ? x : y);
  }

  private boolean isFactor(Atom x) {
    boolean exact = !x.type().elemPrim().isFloat();
    return labeller.of(x) == Label.REPLICATED && (exact || isFinite(x) || isRows(x));
  }

  private boolean isDivisor(Atom x) {
    return x.type().elemPrim().isFloat() && (isFinite(x) && !x.isConst(0) || isRows(x));
  }

  private static boolean isFinite(Atom x) {
    return x instanceof Const(var c) && Double.isFinite(c.asDouble());
  }

  /**
   * Whether the value is the number of rows as a float. That is zero only where all pieces are
   * empty, and it is finite, except as an f16.
   */
  private boolean isRows(Atom x) {
    return x instanceof Var v
        && v.type().elemPrim() != Prim.F16
        && labeller.definition(v) instanceof Convert(_, var n)
        && labeller.isDatasetSize(n);
  }

  /** Returns the label of an array of values that have this label. */
  Label deeper(Label label, Atom width) {
    return switch (label) {
      case Label.Replicated r -> r;
      case Label.Sharded(var dim) -> new Label.Sharded(dim + 1);
      case Label.Partial p when p.group().size() == 1 ->
          new Label.Partial(p.group().over(width), 0);
      case Label.Partial _, Label.Whole _ -> throw combinedFirst();
      case Label.Collecting c -> c;
    };
  }
}
