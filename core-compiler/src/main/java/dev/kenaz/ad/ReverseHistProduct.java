package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * A histogram of products (003 §4.2.3): as for one product ({@link ReverseProduct}), for every bin;
 * only if some product is zero the return sweep counts zeros and multiplies everything else.
 */
final class ReverseHistProduct {
  private final OneHist h;
  private final Prim prim;
  private final List<Atom> shape;

  private ReverseHistProduct(OneHist h) {
    this.h = h;
    this.prim = h.results().getFirst().type().elemPrim();
    this.shape = h.op().shape();
  }

  static Reverse.Return forward(Builder b, OneHist h) {
    ReverseHist.emit(b, h);
    var y = h.results().getFirst();
    var value = h.values().getFirst();
    return s -> {
      if (!s.isZero(y) && s.activity.active(value)) {
        s.add(value, new ReverseHistProduct(h).emit(s.b, (Var) s.takeValue(y)), true);
      }
    };
  }

  private Var emit(Builder b, Var adjoint) {
    var y = h.results().getFirst();
    var bins = List.of(Type.I64.under(shape), y.type());
    var anyZero = anyZero(b, y);
    var known =
        b.ifThenElse(
            anyZero, bins, this::zerosAndOthers, in -> List.of(in.zero(bins.getFirst()), y));
    // what a bin's factors have in common; where there are few elements it isn't worth it
    var few = b.compare(CompareOp.LT, h.width(), shape.getFirst());
    var scaled =
        b.ifThenElse(
            few,
            List.of(y.type()),
            in -> List.of(in.bind("any", new Scratch(prim, shape))),
            in -> List.of(scaled(in, known.get(1), adjoint)));
    var type = List.<Type>of(Type.scalar(prim));
    return b.map(
            h.width(),
            List.of(h.indices().getFirst(), h.values().getFirst()),
            (in, p) -> {
              var bin = p.get(0);
              return in.ifThenElse(
                  ReverseScatter.inside(in, p.subList(0, 1), shape),
                  type,
                  then -> {
                    var common =
                        then.ifThenElse(
                            few,
                            type,
                            c -> List.of(c.mul(c.index(known.get(1), bin), c.index(adjoint, bin))),
                            c -> List.of(c.index(scaled.getFirst(), bin)));
                    return then.ifThenElse(
                        anyZero,
                        type,
                        c ->
                            List.of(unlessZeros(c, known.get(0), bin, p.get(1), common.getFirst())),
                        c -> List.of(c.div(common.getFirst(), p.get(1))));
                  },
                  _ -> List.of(Atom.of(prim, 0)));
            })
        .getFirst();
  }

  private Atom unlessZeros(Builder in, Var counts, Atom bin, Atom x, Atom common) {
    var zeros = in.index(counts, bin);
    return in.ifThenElse(
            in.compare(CompareOp.EQ, zeros, i64(0)),
            List.of(Type.scalar(prim)),
            c -> List.of(c.div(common, x)),
            c -> {
              var only = c.compare(CompareOp.EQ, zeros, i64(1));
              var here = c.compare(CompareOp.EQ, x, Atom.of(prim, 0));
              return List.of(ScalarDerivatives.select(c, c.and(only, here), common));
            })
        .getFirst();
  }

  private static Var scaled(Builder b, Var products, Var adjoint) {
    return b.map(
            products.type().dims().getFirst(),
            List.of(products, adjoint),
            (in, p) -> List.of(in.mul(p.get(0), p.get(1))))
        .getFirst();
  }

  /** Whether a bin's product is zero; asked of the elements if they are fewer than the bins. */
  private Atom anyZero(Builder b, Var y) {
    var few = b.compare(CompareOp.LT, h.width(), shape.getFirst());
    return b.ifThenElse(
            few,
            List.of(Type.BOOL),
            in -> List.of(anyZero(in, h.width(), h.values().getFirst())),
            in -> List.of(anyZero(in, shape.getFirst(), y)))
        .getFirst();
  }

  private Atom anyZero(Builder b, Atom n, Var array) {
    var or = new Reduce(b.operator(BinaryOp.OR, Prim.BOOL), List.of(Atom.bool(false)), true);
    var map =
        b.lambda(
            List.of(Type.scalar(prim)),
            (in, p) -> List.of(in.compare(CompareOp.EQ, p.getFirst(), Atom.of(prim, 0))));
    return b.screma(n, List.of(array), List.of(), List.of(or), map).getFirst();
  }

  private List<Var> zerosAndOthers(Builder b) {
    var one = Atom.of(prim, 1);
    var count =
        new HistOp(
            shape,
            List.of(b.replicate(shape, i64(0))),
            List.of(i64(0)),
            b.operator(BinaryOp.ADD, Prim.I64));
    var product =
        new HistOp(
            shape, List.of(b.replicate(shape, one)), List.of(one), b.operator(BinaryOp.MUL, prim));
    var map =
        b.lambda(
            List.of(Type.I64, Type.scalar(prim)),
            (in, p) -> {
              var isZero = in.compare(CompareOp.EQ, p.get(1), Atom.of(prim, 0));
              return List.of(
                  p.get(0),
                  p.get(0),
                  ScalarDerivatives.choose(in, isZero, i64(1), i64(0)),
                  ScalarDerivatives.choose(in, isZero, one, p.get(1)));
            });
    var inputs = List.of(h.indices().getFirst(), h.values().getFirst());
    return b.bindAll("hist", new Hist(h.width(), inputs, List.of(count, product), map));
  }
}
