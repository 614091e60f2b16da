package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Recognising and lifting combining operators. */
final class Operators {
  private Operators() {}

  /** The scalar operator that the lambda applies elementwise to its two operands. */
  static Optional<BinaryOp> elementwise(Lambda op) {
    if (op.params().size() != 2
        || op.body().stms().size() != 1
        || !op.body().results().equals(List.<Atom>copyOf(op.body().stms().getFirst().pattern()))) {
      return Optional.empty();
    }
    Stm stm = op.body().stms().getFirst();
    return switch (stm.exp()) {
      case Exp.Binary(var o, var x, var y)
          when sameSet(List.of(x, y), op.params()) && o.isCommutativeMonoid() ->
          Optional.of(o);
      case Exp.Screma s when s.isMap() && sameSet(s.inputs(), op.params()) -> elementwise(s.map());
      default -> Optional.empty();
    };
  }

  static boolean isPlus(Label.Group group) {
    return elementwise(group.op()).equals(Optional.of(BinaryOp.ADD));
  }

  private static boolean sameSet(List<? extends Atom> used, List<Var> params) {
    return used.size() == params.size() && used.containsAll(params) && params.containsAll(used);
  }

  /** The operator applied to corresponding rows of operands with one more outer dimension. */
  static Label.Group over(Label.Group group, Atom width) {
    var op = group.op();
    var b = new Builder(Span.NONE);
    var types = op.params().stream().map(p -> p.type().under(width)).toList();
    var lifted =
        b.lambda(types, (in, params) -> in.map(width, params, (row, xs) -> row.call(op, xs)));
    return new Label.Group(lifted, group.commutative(), group.source());
  }

  /** Over several new outer dimensions. */
  static Label.Group over(Label.Group group, List<Atom> space) {
    var result = group;
    for (int i = space.size() - 1; i >= 0; i--) {
      result = over(result, space.get(i));
    }
    return result;
  }

  static Label.Group plus(Type type) {
    return new Label.Group(new Builder(Span.NONE).plus(type), true, "+");
  }

  /** Left operands then right operands, through the operator, in this builder. */
  static List<Atom> apply(
      Builder b, Label.Group group, List<? extends Atom> left, List<? extends Atom> right) {
    var operands = new ArrayList<Atom>(left);
    operands.addAll(right);
    return b.call(group.op(), operands);
  }
}
