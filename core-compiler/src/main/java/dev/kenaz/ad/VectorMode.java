package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.ArrayLit;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Differentiates in many directions at once: {@code n} tangents or adjoints for one point. What
 * doesn't depend on the direction is computed once: in reverse mode the whole forward sweep is
 * outside, in forward mode the simplifier moves it there. A map computes the derivative for each
 * direction; under {@code #[unroll]} and with a constant number of directions they are written out
 * one after the other.
 */
final class VectorMode {
  private VectorMode() {}

  static List<Var> each(
      Builder b,
      Stm stm,
      Atom width,
      List<Var> directions,
      BiFunction<Builder, List<Var>, List<? extends Atom>> derivative) {
    boolean unroll = stm.attrs().stream().anyMatch(a -> a.name().equals("unroll"));
    if (!unroll || !(width instanceof Const c) || directions.isEmpty()) {
      return b.map(width, directions, derivative);
    }
    var lanes = new ArrayList<List<? extends Atom>>();
    for (long k = 0; k < c.value().asLong(); k++) {
      long k0 = k;
      var rows = directions.stream().map(d -> (Var) b.index(d, i64(k0))).toList();
      lanes.add(derivative.apply(b, rows));
    }
    if (lanes.isEmpty()) {
      return b.map(width, directions, derivative);
    }
    var results = new ArrayList<Var>();
    for (int i = 0; i < lanes.getFirst().size(); i++) {
      int i0 = i;
      var elems = lanes.stream().map(l -> (Atom) l.get(i0)).toList();
      results.add(b.bind("lanes", new ArrayLit(elems, elems.getFirst().type())));
    }
    return results;
  }
}
