package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.List;

/**
 * Product (003 §3.2.3). The factor of ā_i is the product of all other elements. The forward sweep
 * counts the zeros and multiplies everything else to p. Without zeros the factor is y / a_i; with
 * one zero it is p for that element and 0 for the others; with more it is 0.
 */
final class ReverseProduct {
  private ReverseProduct() {}

  static Reverse.Return forward(Builder b, Var y, Atom n, Var input) {
    var prim = y.type().elemPrim();
    var zero = Atom.of(prim, 0);
    var map =
        b.lambda(
            List.of(y.type()),
            (in, p) -> {
              var isZero = in.compare(CompareOp.EQ, p.getFirst(), zero);
              return List.of(
                  ScalarDerivatives.choose(in, isZero, i64(1), i64(0)),
                  ScalarDerivatives.choose(in, isZero, Atom.of(prim, 1), p.getFirst()));
            });
    var reduces =
        List.of(
            new Reduce(b.operator(BinaryOp.ADD, Type.I64.prim()), List.of(i64(0)), true),
            new Reduce(b.operator(BinaryOp.MUL, prim), List.of(Atom.of(prim, 1)), true));
    var both = b.screma(n, List.of(input), List.of(), reduces, map);
    var zeros = both.get(0);
    var others = both.get(1);
    var none = b.compare(CompareOp.EQ, zeros, i64(0));
    b.bindAll(
        List.of(y),
        new If(
            none,
            new dev.kenaz.ir.Body(List.of(), List.of(others)),
            new dev.kenaz.ir.Body(List.of(), List.of(zero))));
    return s -> {
      if (!s.isZero(y)) {
        emit(s, input, n, zeros, others, s.takeValue(y));
      }
    };
  }

  private static void emit(Sweep s, Var input, Atom n, Atom zeros, Atom others, Atom adjoint) {
    var b = s.b;
    // what every factor has in common: p times the adjoint of y
    var scaled = b.mul(others, adjoint);
    var none = b.compare(CompareOp.EQ, zeros, i64(0));
    var one = b.compare(CompareOp.EQ, zeros, i64(1));
    var contribution =
        b.map(
            n,
            List.of(input),
            (in, p) -> {
              var a = p.getFirst();
              var zero = Atom.of(a.type().elemPrim(), 0);
              return in.ifThenElse(
                  none,
                  List.of(a.type()),
                  then -> List.of(then.div(scaled, a)),
                  otherwise -> {
                    var here = otherwise.compare(CompareOp.EQ, a, zero);
                    return List.of(
                        ScalarDerivatives.select(otherwise, otherwise.and(one, here), scaled));
                  });
            });
    s.add(input, contribution.getFirst(), true);
  }
}
