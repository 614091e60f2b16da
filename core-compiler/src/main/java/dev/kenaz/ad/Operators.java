package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Recognises operators of reductions, scans and histograms. */
final class Operators {
  private static final Set<BinaryOp> COMMUTATIVE =
      Set.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MIN, BinaryOp.MAX);

  private Operators() {}

  /** Addition of scalars or, elementwise, of arrays. */
  static boolean isSum(Lambda op) {
    return elementwise(op).filter(o -> o == BinaryOp.ADD).isPresent();
  }

  /** The one scalar operation that the operator is. */
  static Optional<BinaryOp> scalar(Lambda op) {
    if (op.params().size() != 2 || op.body().stms().size() != 1) {
      return Optional.empty();
    }
    var stm = op.body().stms().getFirst();
    if (stm.exp() instanceof Binary(var o, var x, var y)
        && COMMUTATIVE.contains(o)
        && op.body().results().equals(List.<Atom>of(stm.var()))
        && operands(op, x, y)) {
      return Optional.of(o);
    }
    return Optional.empty();
  }

  /** The scalar operation that the operator applies elementwise; see also {@link #vectorised}. */
  static Optional<BinaryOp> elementwise(Lambda op) {
    var inner = vectorised(op);
    return inner.isPresent() ? elementwise(inner.get()) : scalar(op);
  }

  /**
   * The operator on rows, if this is {@code map2} of one: its parameters may come in either order
   * only when that makes no difference.
   */
  static Optional<Lambda> vectorised(Lambda op) {
    if (op.params().stream().anyMatch(p -> !p.type().isArray())
        || op.body().stms().size() != 1
        || !(op.body().stms().getFirst().exp() instanceof Screma s)
        || !s.isMap()) {
      return Optional.empty();
    }
    var stm = op.body().stms().getFirst();
    boolean all = op.body().results().equals(List.<Atom>copyOf(stm.pattern()));
    if (!all || s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc)) {
      return Optional.empty();
    }
    if (s.inputs().equals(op.params())) {
      return Optional.of(s.map());
    }
    boolean swapped =
        op.params().size() == 2
            && s.inputs().equals(op.params().reversed())
            && elementwise(s.map()).isPresent();
    return swapped ? Optional.of(s.map()) : Optional.empty();
  }

  private static boolean operands(Lambda op, Atom x, Atom y) {
    Var l = op.params().get(0);
    Var r = op.params().get(1);
    return x.equals(l) && y.equals(r) || x.equals(r) && y.equals(l);
  }
}
