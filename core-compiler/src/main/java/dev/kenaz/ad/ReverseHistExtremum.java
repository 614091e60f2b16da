package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.simplify.IndexedExtremum;
import java.util.List;

/**
 * Differentiates a histogram of minima or maxima (003 §4.2.2): with {@code y[j] = v_k}, {@code v̄_k
 * += ȳ[j]}. The forward sweep keeps for every bin the index k of the element that is its extremum,
 * the smallest on ties; the return sweep scatters ȳ there. No element is the extremum of two bins,
 * so nothing collides; bins whose neutral element is the extremum have the index -1, which is
 * ignored. Where there are far fewer elements than bins, each element asks instead whether it is
 * the extremum of its bin.
 */
final class ReverseHistExtremum {
  /** Elements are few if there are this many times more bins. */
  private static final int FEW = 2;

  private ReverseHistExtremum() {}

  static Reverse.Return forward(Reverse r, Builder b, OneHist h, BinaryOp op) {
    var y = h.results().getFirst();
    var value = h.values().getFirst();
    var prim = y.type().elemPrim();
    var n = h.width();
    var shape = h.op().shape();
    var arg = Names.fresh("arg", Type.I64.under(shape));
    var dests = Lists.with(h.primal().dests(), b.replicate(shape, i64(-1)));
    var neutral = List.of(h.op().neutral().getFirst(), i64(-1));
    var lifted = IndexedExtremum.of(b, op, Type.scalar(prim));
    var inputs = List.of(h.indices().getFirst(), value, b.iota(n));
    var hist =
        new Hist(n, inputs, List.of(new HistOp(shape, dests, neutral, lifted)), b.identity(inputs));
    b.bindAll(List.of(y, arg), hist);
    return s -> {
      if (!s.isZero(y) && s.activity.active(value)) {
        s.add(value, emit(s.b, h, arg, (Var) s.takeValue(y), r.options.twice()), true);
      }
    };
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
