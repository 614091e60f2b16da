package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.List;

/**
 * Products that no number can hold, to be divided by their factors: {@link ReverseProduct} and
 * {@link ReverseHistProduct} need for each factor the product of the others, p_i, and {@code y /
 * a_i} is p_i only if y is a normal number. Otherwise it is zero or infinite, or has lost digits,
 * whatever p_i is: of {@code [1e-170, 1e-150]} y is 0. The papers divide, unless a factor is zero.
 *
 * <p>A product is kept as {@code m · B^e} with a power of two B and {@code 1/B < |m| < B}, so that
 * the product of two such m is a normal number, which one step brings into these bounds again.
 * Factors that are zero or infinite are counted instead; the m of the former is 1, and that of the
 * latter has their sign.
 *
 * @param prim the type of the factors, which is a type of floats
 */
record ScaledProduct(Prim prim) {
  /** A factor is at most so many steps away from the bounds of m. */
  private static final int STEPS = 3;

  /** So many steps bring any quotient of two m to zero or to infinity. */
  private static final int STEPS_OUT = 5;

  /** Numbers from {@code 1/NEAR} to NEAR are taken to be near one: see {@link #isFar}. */
  private static final double NEAR = 16;

  /** Whether y is a normal number, so that it can be divided by its factors. */
  static Atom isNormal(Builder b, Atom y) {
    var prim = y.type().elemPrim();
    var size = b.unary(UnaryOp.ABS, y);
    return b.and(
        b.compare(CompareOp.LT, Atom.of(prim, smallest(prim)), size),
        b.compare(CompareOp.LT, size, Atom.of(prim, Double.POSITIVE_INFINITY)));
  }

  /** Returns the smallest number that has full precision. */
  private static double smallest(Prim prim) {
    return switch (prim) {
      case F16 -> 0x1p-14;
      case F32 -> Float.MIN_NORMAL;
      default -> Double.MIN_NORMAL;
    };
  }

  /**
   * Whether a factor is zero, infinite, or so far from one that the product of the others may be a
   * normal number though that of all is not. If none is, the quotient is as small or large as the
   * product; half floats have too few exponents for that.
   */
  Atom isFar(Builder b, Atom a) {
    if (prim == Prim.F16) {
      return Atom.bool(true);
    }
    var size = b.unary(UnaryOp.ABS, a);
    return b.not(
        b.and(
            b.compare(CompareOp.LE, Atom.of(prim, 1 / NEAR), size),
            b.compare(CompareOp.LE, size, Atom.of(prim, NEAR))));
  }

  /** How many factors are zero and how many infinite; m and e. */
  List<Type> types() {
    return List.of(Type.I64, Type.I64, Type.scalar(prim), Type.I64);
  }

  /** The product of no factors. */
  List<Atom> one() {
    return List.of(i64(0), i64(0), Atom.of(prim, 1), i64(0));
  }

  /** Returns a factor as a product. */
  List<Atom> of(Builder b, Atom a) {
    var zero = Atom.of(prim, 0);
    var one = Atom.of(prim, 1);
    var isZero = b.compare(CompareOp.EQ, a, zero);
    var infinity = Atom.of(prim, Double.POSITIVE_INFINITY);
    var isInfinite = b.compare(CompareOp.EQ, b.unary(UnaryOp.ABS, a), infinity);
    var sign = b.choose(b.compare(CompareOp.LT, a, zero), Atom.of(prim, -1), one);
    var scaled = new Scaled(b.choose(isZero, one, b.choose(isInfinite, sign, a)), i64(0));
    for (int k = 0; k < STEPS; k++) {
      scaled = bounded(b, scaled);
    }
    return List.of(
        b.choose(isZero, i64(1), i64(0)),
        b.choose(isInfinite, i64(1), i64(0)),
        scaled.m(),
        scaled.e());
  }

  /** Returns the operator on pairs of m and e. */
  Lambda times(Builder b) {
    var pair = types().subList(2, 4);
    return b.lambda(
        List.of(pair.get(0), pair.get(1), pair.get(0), pair.get(1)),
        (in, p) -> {
          var m = in.mul(p.get(0), p.get(2));
          var product = bounded(in, new Scaled(m, in.add(p.get(1), p.get(3))));
          return List.of(product.m(), product.e());
        });
  }

  /** Returns the product without one of its factors. */
  Atom without(Builder b, List<Var> product, Atom a) {
    var own = of(b, a);
    var zeros = b.sub(product.get(0), own.get(0));
    var infinite = b.sub(product.get(1), own.get(1));
    var infinity = Atom.of(prim, Double.POSITIVE_INFINITY);
    Atom m = b.div(product.get(2), own.get(2));
    m = b.choose(b.compare(CompareOp.LT, i64(0), infinite), b.mul(m, infinity), m);
    m = b.choose(b.compare(CompareOp.LT, i64(0), zeros), b.mul(m, Atom.of(prim, 0)), m);
    var e = b.sub(product.get(3), own.get(3));
    for (int k = 1; k <= STEPS_OUT; k++) {
      m = b.choose(b.compare(CompareOp.LE, i64(k), e), b.mul(m, bound()), m);
      m = b.choose(b.compare(CompareOp.LE, e, i64(-k)), b.mul(m, inverse()), m);
    }
    return m;
  }

  private record Scaled(Atom m, Atom e) {}

  private Scaled bounded(Builder b, Scaled x) {
    var large = b.compare(CompareOp.LE, bound(), b.unary(UnaryOp.ABS, x.m()));
    var m = b.choose(large, b.mul(x.m(), inverse()), x.m());
    var e = b.choose(large, b.add(x.e(), i64(1)), x.e());
    var small = b.compare(CompareOp.LE, b.unary(UnaryOp.ABS, m), inverse());
    return new Scaled(b.choose(small, b.mul(m, bound()), m), b.choose(small, b.sub(e, i64(1)), e));
  }

  private Atom bound() {
    return Atom.of(prim, Math.scalb(1.0, exponent()));
  }

  private Atom inverse() {
    return Atom.of(prim, Math.scalb(1.0, -exponent()));
  }

  private int exponent() {
    return switch (prim) {
      case F16 -> 7;
      case F32 -> 60;
      default -> 400;
    };
  }
}
