package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Differentiates a product (003 §3.2.3). With {@code y = Π a_j}, {@code ā_i += p_i · ȳ}, where p_i
 * is the product of all other elements, {@code y / a_i}. Only if y is no normal number, because of
 * an element that is far from one, the return sweep multiplies once more, to a {@link
 * ScaledProduct}, which also counts the zeros.
 *
 * <p>Where we differ: the paper counts zeros in every forward sweep, and doesn't treat products
 * that are too small or too large.
 */
final class ReverseProduct {
  private ReverseProduct() {}

  static Reverse.Return forward(Builder b, Var y, Atom n, Var input, Reduce reduce) {
    var identity = b.identity(List.of(input));
    b.bindAll(List.of(y), new Screma(n, List.of(input), List.of(), List.of(reduce), identity));
    return s -> {
      if (!s.isZero(y)) {
        s.add(input, emit(s.b, y, input, n, s.takeValue(y)), true);
      }
    };
  }

  private static Var emit(Builder b, Var y, Var input, Atom n, Atom adjoint) {
    var product = new ScaledProduct(y.type().elemPrim());
    var scale =
        b.ifThenElse(
            ScaledProduct.isNormal(b, y),
            List.of(Type.BOOL),
            _ -> List.of(Atom.bool(false)),
            in -> List.of(anyFar(in, product, n, input)));
    return b.ifThenElse(
            scale.getFirst(),
            List.of(input.type()),
            in -> scaled(in, product, input, n, adjoint),
            in -> {
              var common = in.mul(y, adjoint);
              return in.map(n, List.of(input), (c, p) -> List.of(c.div(common, p.getFirst())));
            })
        .getFirst();
  }

  /** Whether any of some factors is far from one: see {@link ScaledProduct#isFar}. */
  static Atom anyFar(Builder b, ScaledProduct product, Atom n, Var factors) {
    var map =
        b.lambda(
            List.of(Type.scalar(product.prim())),
            (in, p) -> List.of(product.isFar(in, p.getFirst())));
    return b.screma(n, List.of(factors), List.of(), List.of(or(b)), map).getFirst();
  }

  static Reduce or(Builder b) {
    return new Reduce(b.operator(BinaryOp.OR, Prim.BOOL), List.of(Atom.bool(false)), true);
  }

  private static List<Var> scaled(
      Builder b, ScaledProduct product, Var input, Atom n, Atom adjoint) {
    var map =
        b.lambda(List.of(Type.scalar(product.prim())), (in, p) -> product.of(in, p.getFirst()));
    var none = product.one();
    var plus = b.operator(BinaryOp.ADD, Prim.I64);
    var reduces =
        List.of(
            new Reduce(plus, none.subList(0, 1), true),
            new Reduce(new Renaming().lambda(plus), none.subList(1, 2), true),
            new Reduce(product.times(b), none.subList(2, 4), true));
    var all = b.screma(n, List.of(input), List.of(), reduces, map);
    return b.map(
        n,
        List.of(input),
        (in, p) -> List.of(in.mul(product.without(in, all, p.getFirst()), adjoint)));
  }
}
