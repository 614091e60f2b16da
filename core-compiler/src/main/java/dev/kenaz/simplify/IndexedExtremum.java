package dev.kenaz.simplify;

import dev.kenaz.error.Span;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Minimum or maximum of values with indices, which takes the smaller index of two equal values (001
 * §5.1.1). Derivatives find the element that is an extremum by it.
 */
public final class IndexedExtremum {
  private IndexedExtremum() {}

  /** Returns the operator. */
  public static Lambda of(Builder b, BinaryOp op, Type value) {
    return b.lambda(
        List.of(value, Type.I64, value, Type.I64),
        (in, p) -> {
          // it rarely does more than these two operations, as the right operand is rarely the
          // better one
          var better = in.binary(op, p.get(0), p.get(2));
          var right = in.compare(CompareOp.EQ, better, p.get(2));
          var index =
              in.ifThenElse(
                  right,
                  List.of(Type.I64),
                  then -> {
                    var tie = then.compare(CompareOp.EQ, better, p.get(0));
                    return then.ifThenElse(
                        tie,
                        List.of(Type.I64),
                        c -> List.of(c.binary(BinaryOp.MIN, p.get(1), p.get(3))),
                        _ -> List.of(p.get(3)));
                  },
                  _ -> List.of(p.get(1)));
          return List.of(better, index.getFirst());
        });
  }

  /** Returns whether the operator is one of these, and the values' own operator if it is. */
  public static Optional<BinaryOp> in(Lambda op) {
    if (op.params().size() != 4 || !op.returns().get(0).isScalar()) {
      return Optional.empty();
    }
    var key = AlphaKey.of(op);
    return Stream.of(BinaryOp.MIN, BinaryOp.MAX)
        .filter(o -> AlphaKey.of(of(new Builder(Span.NONE), o, op.returns().get(0))).equals(key))
        .findFirst();
  }
}
