package dev.kenaz.simplify;

import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import java.util.List;
import java.util.Optional;

/** Recognises what the operator of a lambda is. */
public final class Operators {
  private Operators() {}

  /**
   * The scalar operator that a lambda of two arguments applies to them, in their order: directly,
   * or elementwise to all dimensions of two arrays.
   */
  public static Optional<BinaryOp> elementwise(Lambda op) {
    var body = op.body();
    if (op.params().size() != 2 || body.stms().size() != 1 || body.results().size() != 1) {
      return Optional.empty();
    }
    var stm = body.stms().getFirst();
    if (stm.pattern().size() != 1 || !stm.var().equals(body.results().getFirst())) {
      return Optional.empty();
    }
    return switch (stm.exp()) {
      case Binary(var binary, var x, var y)
          when x.equals(op.params().get(0)) && y.equals(op.params().get(1)) ->
          Optional.of(binary);
      case Binary(var binary, var y, var x)
          when binary.isCommutativeMonoid()
              && x.equals(op.params().get(0))
              && y.equals(op.params().get(1)) ->
          Optional.of(binary);
      case Screma s when s.isMap() && sameInputs(s, op) -> elementwise(s.map());
      default -> Optional.empty();
    };
  }

  private static boolean sameInputs(Screma s, Lambda op) {
    return List.<Object>copyOf(s.inputs()).equals(List.<Object>copyOf(op.params()));
  }
}
