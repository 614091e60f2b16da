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
 * Differentiates a histogram of minima or maxima (003 §4.2.2): with {@code y[j] = v_k}, {@code v̄_k
 * += ȳ[j]}. The forward sweep finds for every bin the index k of the element that is its extremum,
 * the smallest on ties, by a second histogram: of the indices of those elements that equal the
 * extremum of their bin. A histogram of values with their indices would do the same at once, but a
 * pair is no operand of an indivisible update, so threads would have to lock a bin even for an
 * element that changes nothing. The return sweep scatters ȳ to the elements found. No element is
 * the extremum of two bins, so nothing collides; bins whose neutral element is the extremum have an
 * index that no element has, which is ignored. Where there are far fewer elements than bins, each
 * element asks instead whether it is the extremum of its bin.
 */
final class ReverseHistExtremum {
  /** Elements are few if there are this many times more bins. */
  private static final int FEW = 2;

  private ReverseHistExtremum() {}

  static Reverse.Return forward(Reverse r, Builder b, OneHist h) {
    ReverseHist.emit(b, h);
    var y = h.results().getFirst();
    var value = h.values().getFirst();
    var arg = first(b, h, y);
    return s -> {
      if (!s.isZero(y) && s.activity.active(value)) {
        s.add(value, emit(s.b, h, arg, (Var) s.takeValue(y), r.options.twice()), true);
      }
    };
  }

  /** Emits the index of the first element that is the extremum of its bin, for every bin. */
  private static Var first(Builder b, OneHist h, Var y) {
    var shape = h.op().shape();
    var neutral = h.op().neutral().getFirst();
    var inputs = List.of(h.indices().getFirst(), h.values().getFirst(), b.iota(h.width()));
    var own =
        b.lambda(
            inputs.stream().map(v -> Builder.rowType(v.type())).toList(),
            (in, p) -> {
              var bin =
                  in.ifThenElse(
                      ReverseScatter.inside(in, p.subList(0, 1), shape),
                      List.of(Type.I64),
                      c -> List.of(winner(c, p.get(0), p.get(1), y, neutral)),
                      _ -> List.of(i64(-1)));
              return List.of(bin.getFirst(), p.get(2));
            });
    var none = i64(Long.MAX_VALUE);
    var min = b.operator(BinaryOp.MIN, Prim.I64);
    var op = new HistOp(shape, List.of(b.replicate(shape, none)), List.of(none), min);
    return b.bind("arg", new Hist(h.width(), inputs, List.of(op), own));
  }

  /** Returns the bin if the value is its extremum, and not a neutral element; -1 otherwise. */
  private static Atom winner(Builder b, Atom bin, Atom value, Var y, Atom neutral) {
    var equal = b.compare(CompareOp.EQ, value, b.index(y, bin));
    var is = b.and(equal, b.not(b.compare(CompareOp.EQ, value, neutral)));
    return ScalarDerivatives.choose(b, is, bin, i64(-1));
  }

  private static Var emit(Builder b, OneHist h, Var arg, Var adjoint, boolean twice) {
    if (twice) {
      return scattered(b, h, arg, adjoint);
    }
    var few = b.compare(CompareOp.LT, b.mul(h.width(), i64(FEW)), h.op().shape().getFirst());
    return b.ifThenElse(
            few,
            List.of(h.values().getFirst().type()),
            in -> List.of(asked(in, h, arg, adjoint)),
            in -> List.of(scattered(in, h, arg, adjoint)))
        .getFirst();
  }

  private static Var scattered(Builder b, OneHist h, Var arg, Var adjoint) {
    var n = h.width();
    var zeros = (Var) b.zero(h.values().getFirst().type());
    var inputs = List.of(arg, adjoint);
    var identity = b.identity(inputs);
    var dests = List.of(new ScatterDest(List.of(n), zeros));
    return b.bind("adj", new Scatter(h.op().shape().getFirst(), inputs, dests, identity));
  }

  private static Var asked(Builder b, OneHist h, Var arg, Var adjoint) {
    var inputs = List.of(h.indices().getFirst(), b.iota(h.width()));
    var zero = Atom.of(adjoint.type().elemPrim(), 0);
    var type = List.of(zero.type());
    return b.map(
            h.width(),
            inputs,
            (in, p) ->
                in.ifThenElse(
                    ReverseScatter.inside(in, p.subList(0, 1), h.op().shape()),
                    type,
                    c ->
                        c.ifThenElse(
                            c.compare(CompareOp.EQ, c.index(arg, p.get(0)), p.get(1)),
                            type,
                            own -> List.of(own.index(adjoint, p.get(0))),
                            _ -> List.of(zero)),
                    _ -> List.of(zero)))
        .getFirst();
  }
}
