package dev.kenaz.analysis;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Recognises which operator the function of a reduction, scan, histogram or accumulator is. What is
 * recognised is that operator for all arguments, to the last bit; all that are recognised associate
 * (floats up to rounding) and commute, so that the operands may stand in either order. An operator
 * that is written in another way, with a further statement for example, is not recognised.
 */
public final class Operators {
  private Operators() {}

  /** Returns the scalar operation that is all that the function does with its two parameters. */
  public static Optional<BinaryOp> scalar(Lambda op) {
    return op.params().size() == 2 && op.returns().size() == 1 && op.body().onlyStm().isPresent()
        ? scalar(op, 0)
        : Optional.empty();
  }

  /** Returns the scalar operation by which result {@code k} is made of its own operands alone. */
  public static Optional<BinaryOp> scalar(Lambda op, int k) {
    var operands = List.of(op.params().get(k), op.params().get(op.returns().size() + k));
    var result = op.body().results().subList(k, k + 1);
    return op.body().stms().stream()
        .filter(s -> s.pattern().equals(result))
        .filter(
            s ->
                s.exp() instanceof Binary(var o, var x, var y)
                    && o.isCommutativeMonoid()
                    && List.of(x, y).containsAll(operands))
        .map(s -> ((Binary) s.exp()).op())
        .findFirst();
  }

  /** Returns the scalar operation on two scalars, or on all elements of two arrays, of any rank. */
  public static Optional<BinaryOp> elementwise(Lambda op) {
    return ofRows(op).map(Operators::elementwise).orElseGet(() -> scalar(op));
  }

  /** Whether it is the addition of scalars or, elementwise, of arrays. */
  public static boolean isSum(Lambda op) {
    return elementwise(op).equals(Optional.of(BinaryOp.ADD));
  }

  /** Whether it is the minimum or maximum of two scalars. */
  public static boolean isExtremum(Lambda op) {
    return scalar(op).filter(o -> o == BinaryOp.MIN || o == BinaryOp.MAX).isPresent();
  }

  /** Whether it is the minimum or maximum of scalars or, elementwise, of arrays. */
  public static boolean isExtremumOfRows(Lambda op) {
    return elementwise(op).filter(o -> o == BinaryOp.MIN || o == BinaryOp.MAX).isPresent();
  }

  /**
   * Returns the same operator, but one that is an extremum names its operands in order: of two
   * equal elements the extremum is the first one.
   */
  public static Lambda inOrder(Lambda op) {
    return isExtremumOfRows(op) && isExchanged(op)
        ? new Lambda(op.params().reversed(), op.body(), op.returns())
        : op;
  }

  /** Whether the operator of two elements names the second one first. */
  private static boolean isExchanged(Lambda op) {
    var second = op.params().get(1);
    return switch (op.body().stms().getFirst().exp()) {
      case Binary(_, var x, _) -> x.equals(second);
      case Screma s -> s.inputs().getFirst().equals(second) ^ isExchanged(s.map());
      default -> false;
    };
  }

  /**
   * Whether operands may be exchanged: the program says so, or the operator is known to commute.
   */
  public static boolean commutes(Reduce reduce) {
    return reduce.commutative() || elementwise(reduce.op()).isPresent();
  }

  /**
   * Returns the operator on rows, if all that this one does is to map it over its parameters, all
   * of which are then arrays of one outer size. It has this operator's parameters, in their order,
   * of which it uses some; its body is not a copy.
   */
  public static Optional<Lambda> ofRows(Lambda op) {
    var stm = op.body().onlyStm();
    if (stm.isEmpty()
        || !(stm.get().exp() instanceof Screma s)
        || !s.isMap()
        || !op.params().stream().allMatch(p -> p.type().isArray())
        || !op.params().containsAll(s.inputs())
        || new HashSet<>(s.inputs()).size() < s.inputs().size()
        || FreeVars.of(s.map()).stream()
            .anyMatch(v -> op.params().contains(v) || v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    var params = new ArrayList<Var>();
    for (var p : op.params()) {
      int at = s.inputs().indexOf(p);
      params.add(
          at >= 0 ? s.map().params().get(at) : Names.fresh("unused", Builder.rowType(p.type())));
    }
    return Optional.of(new Lambda(params, s.map().body(), s.map().returns()));
  }
}
