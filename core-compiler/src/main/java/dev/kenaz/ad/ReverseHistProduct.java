package dev.kenaz.ad;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Differentiates a histogram of products (003 §4.2.3): {@code v̄_i += p_i · ȳ[k_i]}, where p_i is
 * the product of the other elements of its bin, {@code y[k_i] / v_i}. As for one product ({@link
 * ReverseProduct}), only if some bin's product is no normal number, and some element is far from
 * one, the return sweep makes a {@link ScaledProduct} for each bin.
 */
final class ReverseHistProduct {
  private final OneHist h;
  private final ScaledProduct product;
  private final List<Atom> shape;
  private final Var y;

  private ReverseHistProduct(OneHist h) {
    this.h = h;
    this.y = h.results().getFirst();
    this.product = new ScaledProduct(y.type().elemPrim());
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
    var few = b.compare(CompareOp.LT, h.width(), shape.getFirst());
    // asking few elements is quicker than asking many bins
    var first =
        b.ifThenElse(
            few,
            List.of(Type.BOOL, y.type()),
            in -> List.of(anyFarInBin(in), in.bind("any", new Scratch(product.prim(), shape))),
            in -> unusualAndScaled(in, adjoint));
    var scale =
        b.ifThenElse(
            b.and(first.getFirst(), b.not(few)),
            List.of(Type.BOOL),
            in -> List.of(ReverseProduct.anyFar(in, product, h.width(), h.values().getFirst())),
            _ -> List.of(first.getFirst()));
    return b.ifThenElse(
            scale.getFirst(),
            List.of(h.values().getFirst().type()),
            in -> scaled(in, adjoint),
            in -> quotients(in, few, first.get(1), adjoint))
        .getFirst();
  }

  /** Whether an element is far from one, and its bin's product no normal number. */
  private Atom anyFarInBin(Builder b) {
    var map =
        b.lambda(
            List.of(Type.I64, Type.scalar(product.prim())),
            (in, p) ->
                in.ifThenElse(
                    in.and(product.isFar(in, p.get(1)), inside(in, p.getFirst())),
                    List.of(Type.BOOL),
                    c -> {
                      var own = c.index(y, p.getFirst());
                      return List.of(c.not(ScaledProduct.isNormal(c, own)));
                    },
                    _ -> List.of(Atom.bool(false))));
    var or = List.of(ReverseProduct.or(b));
    return b.screma(h.width(), inputs(), List.of(), or, map).getFirst();
  }

  /** Whether a bin's product is no normal number; and for each bin it, times its adjoint. */
  private List<Var> unusualAndScaled(Builder b, Var adjoint) {
    var scalar = Type.scalar(product.prim());
    var map =
        b.lambda(
            List.of(scalar, scalar),
            (in, p) ->
                List.of(in.not(ScaledProduct.isNormal(in, p.get(0))), in.mul(p.get(0), p.get(1))));
    var or = List.of(ReverseProduct.or(b));
    return b.screma(shape.getFirst(), List.of(y, adjoint), List.of(), or, map);
  }

  private List<Var> quotients(Builder b, Atom few, Var scaled, Var adjoint) {
    return mapInside(
        b,
        (in, bin, x) -> {
          var common =
              in.ifThenElse(
                  few,
                  List.of(x.type()),
                  c -> List.of(c.mul(c.index(y, bin), c.index(adjoint, bin))),
                  c -> List.of(c.index(scaled, bin)));
          return in.div(common.getFirst(), x);
        });
  }

  private List<Var> scaled(Builder b, Var adjoint) {
    var none = product.one();
    var plus = b.operator(BinaryOp.ADD, Prim.I64);
    var ops =
        List.of(
            bins(b, none.subList(0, 1), plus),
            bins(b, none.subList(1, 2), new Renaming().lambda(plus)),
            bins(b, none.subList(2, 4), product.times(b)));
    var map =
        b.lambda(
            List.of(Type.I64, Type.scalar(product.prim())),
            (in, p) -> {
              var bin = p.getFirst();
              return Lists.concat(List.of(bin, bin, bin), product.of(in, p.get(1)));
            });
    var all = b.bindAll("hist", new Hist(h.width(), inputs(), ops, map));
    return mapInside(
        b,
        (in, bin, x) -> {
          var own = all.stream().map(a -> (Var) in.index(a, bin)).toList();
          return in.mul(product.without(in, own, x), in.index(adjoint, bin));
        });
  }

  private HistOp bins(Builder b, List<Atom> neutral, Lambda op) {
    var dests = neutral.stream().map(e -> b.replicate(shape, e)).toList();
    return new HistOp(shape, dests, neutral, op);
  }

  @FunctionalInterface
  private interface OfElement {
    Atom emit(Builder b, Var bin, Var x);
  }

  /** Computes the adjoints of the elements that have bins; those of the others are zero. */
  private List<Var> mapInside(Builder b, OfElement function) {
    return b.map(
        h.width(),
        inputs(),
        (in, p) ->
            in.ifThenElse(
                inside(in, p.getFirst()),
                List.of(p.get(1).type()),
                c -> List.of(function.emit(c, p.getFirst(), p.get(1))),
                _ -> List.of(Atom.of(product.prim(), 0))));
  }

  private Atom inside(Builder b, Var bin) {
    return ReverseScatter.inside(b, List.of(bin), shape);
  }

  private List<Var> inputs() {
    return List.of(h.indices().getFirst(), h.values().getFirst());
  }
}
