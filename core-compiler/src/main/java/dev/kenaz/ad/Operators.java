package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Recognises operators of reductions, scans and histograms. */
final class Operators {
  private static final Set<BinaryOp> COMMUTATIVE =
      Set.of(BinaryOp.ADD, BinaryOp.MUL, BinaryOp.MIN, BinaryOp.MAX);

  private Operators() {}

  /** Whether the operator adds scalars or, elementwise, arrays. */
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

  /** Whether the operator is the minimum or maximum of two numbers. */
  static boolean isExtremum(Lambda op) {
    return scalar(op).filter(o -> o == BinaryOp.MIN || o == BinaryOp.MAX).isPresent();
  }

  /** The scalar operation that the operator applies elementwise; see also {@link #vectorised}. */
  static Optional<BinaryOp> elementwise(Lambda op) {
    var inner = vectorised(op);
    return inner.isPresent() ? elementwise(inner.get()) : scalar(op);
  }

  /**
   * The operator on rows, if this one is {@code map} of it over all its parameters, which are
   * arrays of one outer size; its parameters are in this operator's order.
   */
  static Optional<Lambda> vectorised(Lambda op) {
    if (op.params().stream().anyMatch(p -> !p.type().isArray())
        || op.body().stms().size() != 1
        || !(op.body().stms().getFirst().exp() instanceof Screma s)
        || !s.isMap()) {
      return Optional.empty();
    }
    var stm = op.body().stms().getFirst();
    boolean whole = op.body().results().equals(List.<Atom>copyOf(stm.pattern()));
    var unique = new HashSet<>(s.inputs());
    if (!whole || unique.size() < s.inputs().size() || !op.params().containsAll(unique)) {
      return Optional.empty();
    }
    if (FreeVars.of(s.map()).stream().anyMatch(op.params()::contains)) {
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

  private static boolean operands(Lambda op, Atom x, Atom y) {
    Var l = op.params().get(0);
    Var r = op.params().get(1);
    return x.equals(l) && y.equals(r) || x.equals(r) && y.equals(l);
  }
}
