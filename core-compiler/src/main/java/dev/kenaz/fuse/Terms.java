package dev.kenaz.fuse;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The terms of sums of scalars in a body, as far as nothing else uses the sums on the way. */
final class Terms {
  private final Map<Var, Exp> made = new HashMap<>();
  private final Uses uses;

  Terms(Body body) {
    uses = Uses.in(body);
    for (var stm : body.stms()) {
      if (stm.exp() instanceof Unary || stm.exp() instanceof Binary) {
        made.put(stm.var(), stm.exp());
      }
    }
  }

  /** Returns 1 if the value is a sum with this term, -1 if the term is subtracted, otherwise 0. */
  int sign(Atom value, Var term) {
    if (!(value instanceof Var v) || uses.of(v) != 1) {
      return 0;
    }
    return v.equals(term)
        ? 1
        : switch (made.get(v)) {
          case Unary(var op, var x) when op == UnaryOp.NEG -> -sign(x, term);
          case Binary(var op, var x, var y) when op == BinaryOp.ADD ->
              sign(x, term) + sign(y, term);
          case Binary(var op, var x, var y) when op == BinaryOp.SUB ->
              sign(x, term) - sign(y, term);
          case null, default -> 0;
        };
  }

  /**
   * Adds code for the value without the term, which {@link #sign} has found; empty if that is 0.
   */
  Optional<Atom> without(Builder b, Atom value, Var term) {
    if (value.equals(term)) {
      return Optional.empty();
    }
    return switch (made.get((Var) value)) {
      case Unary(_, var x) -> without(b, x, term).map(b::neg);
      case Binary(var op, var x, var y) when sign(x, term) != 0 ->
          Optional.of(
              without(b, x, term)
                  .map(rest -> b.binary(op, rest, y))
                  .orElseGet(() -> op == BinaryOp.SUB ? b.neg(y) : y));
      case Binary(var op, var x, var y) ->
          Optional.of(without(b, y, term).map(rest -> b.binary(op, x, rest)).orElse(x));
      default -> throw new IllegalStateException("no sum");
    };
  }
}
