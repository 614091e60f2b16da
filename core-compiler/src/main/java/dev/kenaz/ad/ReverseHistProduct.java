package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * A histogram of products (003 §4.2.3): as for one product ({@link ReverseProduct}), with a count
 * of zeros and a product of everything else for every bin.
 */
final class ReverseHistProduct {
  private ReverseHistProduct() {}

  static Reverse.Return forward(Builder b, OneHist h) {
    var y = h.results().getFirst();
    var value = h.values().getFirst();
    var prim = y.type().elemPrim();
    var zero = Atom.of(prim, 0);
    var one = Atom.of(prim, 1);
    var shape = h.op().shape();
    var count =
        new HistOp(
            shape,
            List.of(b.replicate(shape, i64(0))),
            List.of(i64(0)),
            b.operator(BinaryOp.ADD, Prim.I64));
    var product = new HistOp(shape, h.primal().dests(), List.of(one), h.primal().op());
    var map =
        b.lambda(
            List.of(Type.I64, Type.scalar(prim)),
            (in, p) -> {
              var isZero = in.compare(CompareOp.EQ, p.get(1), zero);
              return List.of(
                  p.get(0),
                  p.get(0),
                  ScalarDerivatives.choose(in, isZero, i64(1), i64(0)),
                  ScalarDerivatives.choose(in, isZero, one, p.get(1)));
            });
    var inputs = List.of(h.indices().getFirst(), value);
    var both = b.bindAll("hist", new Hist(h.width(), inputs, List.of(count, product), map));
    var select =
        b.lambda(
            List.of(Type.I64, Type.scalar(prim)),
            (in, p) -> {
              var none = in.compare(CompareOp.EQ, p.get(0), i64(0));
              return List.of(ScalarDerivatives.choose(in, none, p.get(1), zero));
            });
    b.bindAll(List.of(y), new Screma(shape.getFirst(), both, List.of(), List.of(), select));
    return s -> {
      if (!s.isZero(y) && s.activity.active(value)) {
        s.add(value, emit(s, h, both, (Var) s.takeValue(y)), true);
      }
    };
  }

  private static Var emit(Sweep s, OneHist h, List<Var> both, Var adjoint) {
    var value = h.values().getFirst();
    var prim = value.type().elemPrim();
    var zero = Atom.of(prim, 0);
    var type = List.<Type>of(Type.scalar(prim));
    return s.b
        .map(
            h.width(),
            List.of(h.indices().getFirst(), value),
            (in, p) -> {
              var inside = ReverseScatter.inside(in, p.subList(0, 1), h.op().shape());
              var then = in.inner();
              var zeros = then.index(both.get(0), p.get(0));
              var scaled =
                  then.mul(then.index(both.get(1), p.get(0)), then.index(adjoint, p.get(0)));
              var factor =
                  then.ifThenElse(
                      then.compare(CompareOp.EQ, zeros, i64(0)),
                      type,
                      c -> List.of(c.div(scaled, p.get(1))),
                      c -> {
                        var only = c.compare(CompareOp.EQ, zeros, i64(1));
                        var here = c.compare(CompareOp.EQ, p.get(1), zero);
                        return List.of(ScalarDerivatives.select(c, c.and(only, here), scaled));
                      });
              var otherwise = new Body(List.of(), List.of(zero));
              return in.bindAll("adj", type, new If(inside, then.body(factor), otherwise));
            })
        .getFirst();
  }
}
