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
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates a histogram of products (003 §4.2.3): {@code v̄_i += p_i · ȳ[k_i]}, where p_i is
 * the product of the other elements of its bin, {@code y[k_i] / v_i} if that has no zeros. As for
 * one product ({@link ReverseProduct}), the return sweep counts each bin's zeros and multiplies
 * everything else only if some product is zero and some element, too.
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
    var bins = List.of(Type.I64.under(shape), y.type(), y.type());
    var few = b.compare(CompareOp.LT, h.width(), shape.getFirst());
    var first =
        b.ifThenElse(
            few,
            List.of(Type.BOOL, y.type()),
            in -> List.of(anyZeroElement(in), unused(in)),
            in -> anyZeroAndScaled(in, y, adjoint));
    var anyZero = anyZeroElement(b, few, first.getFirst());
    var known =
        b.ifThenElse(
            anyZero,
            bins,
            in -> withoutZeros(in, few, adjoint),
            in -> List.of(in.zero(bins.getFirst()), y, first.get(1)));
    return contribution(b, few, anyZero, known, adjoint);
  }

  /**
   * Computes the elements' adjoints.
   *
   * @param known for every bin how many zeros it has, the product of its other elements, and that
   *     times the adjoint unless there are few elements
   */
  private Var contribution(Builder b, Atom few, Atom anyZero, List<Var> known, Var adjoint) {
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
                            c -> List.of(c.index(known.get(2), bin)));
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

  /**
   * Whether any element is zero, where a bin's product is: products of many elements are also zero
   * if they are too small for any number.
   */
  private Atom anyZeroElement(Builder b, Atom few, Atom anyZero) {
    return b.ifThenElse(
            b.and(anyZero, b.not(few)),
            List.of(Type.BOOL),
            in -> List.of(anyZeroElement(in)),
            _ -> List.of(anyZero))
        .getFirst();
  }

  private Var unused(Builder b) {
    return b.bind("any", new Scratch(prim, shape));
  }

  /**
   * Whether any element is zero: where there are few, asking them is quicker than asking the bins.
   */
  private Atom anyZeroElement(Builder b) {
    var map = b.lambda(List.of(Type.scalar(prim)), (in, p) -> List.of(isZero(in, p.getFirst())));
    var values = List.of(h.values().getFirst());
    return b.screma(h.width(), values, List.of(), List.of(or(b)), map).getFirst();
  }

  /** Whether a bin's product is zero, and for each bin the product times its adjoint. */
  private List<Var> anyZeroAndScaled(Builder b, Var products, Var adjoint) {
    var scalar = Type.scalar(prim);
    var map =
        b.lambda(
            List.of(scalar, scalar),
            (in, p) -> List.of(isZero(in, p.get(0)), in.mul(p.get(0), p.get(1))));
    var bins = List.of(products, adjoint);
    return b.screma(shape.getFirst(), bins, List.of(), List.of(or(b)), map);
  }

  private Atom isZero(Builder b, Atom x) {
    return b.compare(CompareOp.EQ, x, Atom.of(prim, 0));
  }

  private static Reduce or(Builder b) {
    return new Reduce(b.operator(BinaryOp.OR, Prim.BOOL), List.of(Atom.bool(false)), true);
  }

  private List<Var> withoutZeros(Builder b, Atom few, Var adjoint) {
    var known = new ArrayList<>(zerosAndOthers(b));
    var scaled =
        b.ifThenElse(
            few,
            List.of(adjoint.type()),
            in -> List.of(unused(in)),
            in ->
                in.map(
                    shape.getFirst(),
                    List.of(known.get(1), adjoint),
                    (c, p) -> List.of(c.mul(p.get(0), p.get(1)))));
    known.addAll(scaled);
    return known;
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
                  in.choose(isZero, i64(1), i64(0)),
                  in.choose(isZero, one, p.get(1)));
            });
    var inputs = List.of(h.indices().getFirst(), h.values().getFirst());
    return b.bindAll("hist", new Hist(h.width(), inputs, List.of(count, product), map));
  }
}
