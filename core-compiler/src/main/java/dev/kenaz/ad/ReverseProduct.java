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
 * Differentiates a product (003 §3.2.3). With {@code y = Π a_j}, {@code ā_i += p_i · ȳ}, where p_i
 * is the product of all other elements, {@code y / a_i}. Only if y is zero the return sweep counts
 * the zeros and multiplies everything else to p: with one zero p_i is p for that element and 0 for
 * the others; with more it is 0.
 *
 * <p>Where we differ: the paper counts zeros in every forward sweep.
 */
final class ReverseProduct {
  private ReverseProduct() {}

  static Reverse.Return forward(Builder b, Var y, Atom n, Var input, Reduce reduce) {
    var identity = b.identity(List.of(input));
    b.bindAll(List.of(y), new Screma(n, List.of(input), List.of(), List.of(reduce), identity));
    return s -> {
      if (!s.isZero(y)) {
        emit(s, y, input, n, s.takeValue(y));
      }
    };
  }

  /** Returns how many zeros an array has whose product is zero, and the product of the others. */
  private static List<Var> zerosAndOthers(Builder b, Atom n, Var input) {
    var prim = input.type().elemPrim();
    var map =
        b.lambda(
            List.of(Type.scalar(prim)),
            (in, p) -> {
              var isZero = in.compare(CompareOp.EQ, p.getFirst(), Atom.of(prim, 0));
              return List.of(
                  in.choose(isZero, i64(1), i64(0)),
                  in.choose(isZero, Atom.of(prim, 1), p.getFirst()));
            });
    var reduces =
        List.of(
            new Reduce(b.operator(BinaryOp.ADD, Type.I64.prim()), List.of(i64(0)), true),
            new Reduce(b.operator(BinaryOp.MUL, prim), List.of(Atom.of(prim, 1)), true));
    return b.screma(n, List.of(input), List.of(), reduces, map);
  }

  private static void emit(Sweep s, Var y, Var input, Atom n, Atom adjoint) {
    var b = s.b;
    var type = Type.scalar(y.type().elemPrim());
    var isZero = b.compare(CompareOp.EQ, y, Atom.of(type.prim(), 0));
    var known =
        b.ifThenElse(
            isZero,
            List.of(Type.I64, type),
            in -> zerosAndOthers(in, n, input),
            _ -> List.of(i64(0), y));
    var zeros = known.get(0);
    // this is what all contributions have in common: p times the adjoint of y
    var scaled = b.mul(known.get(1), adjoint);
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
