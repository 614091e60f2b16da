package dev.kenaz.ad;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * A histogram of minima or maxima (003 §4.2.2): the forward sweep keeps for every bin the index of
 * the element that is its extremum, the smallest on ties; the return sweep scatters ȳ there. No
 * element is the extremum of two bins, so nothing collides; empty bins have the index n, which is
 * ignored.
 */
final class ReverseHistExtremum {
  private ReverseHistExtremum() {}

  static Reverse.Return forward(Builder b, OneHist h, BinaryOp op) {
    var y = h.results().getFirst();
    var value = h.values().getFirst();
    var prim = y.type().elemPrim();
    var n = h.width();
    var shape = h.op().shape();
    var arg = Names.fresh("arg", Type.I64.under(shape));
    var dests = new ArrayList<>(h.primal().dests());
    dests.add(b.replicate(shape, n));
    var neutral = List.of(h.op().neutral().getFirst(), n);
    var lifted = ReverseExtremum.lifted(b, op, Type.scalar(prim));
    var inputs = List.of(h.indices().getFirst(), value, b.iota(n));
    var hist =
        new Hist(
            n,
            inputs,
            List.of(new HistOp(shape, dests, neutral, lifted)),
            ReverseScrema.identity(b, inputs));
    b.bindAll(List.of(y, arg), hist);
    return s -> {
      if (!s.isZero(y) && s.activity.active(value)) {
        s.add(value, scattered(s, n, shape.getFirst(), value, arg, (Var) s.takeValue(y)), true);
      }
    };
  }

  private static Var scattered(Sweep s, Atom n, Atom w, Var value, Var arg, Var adjoint) {
    var zeros = (Var) s.b.zero(value.type());
    var inputs = List.of(arg, adjoint);
    var identity = ReverseScrema.identity(s.b, inputs);
    return s.b.bind(
        "adj", new Scatter(w, inputs, List.of(new ScatterDest(List.of(n), zeros)), identity));
  }
}
