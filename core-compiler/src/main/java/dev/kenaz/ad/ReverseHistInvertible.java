package dev.kenaz.ad;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Differentiates a histogram with an operator that can be undone (003 §4.2.4, Figure 6): the other
 * elements of the bin of v_i combine to {@code b_i = y[k_i] ⊙⁻¹ v_i}, so that the return sweep is
 * one map, {@code v̄_i += ∂(b_i ⊙ v_i)/∂v_i · ȳ[k_i]}, without sorting. See {@link Invertible}.
 */
final class ReverseHistInvertible {
  private ReverseHistInvertible() {}

  static void emit(Reverse r, Sweep s, OneHist h, Invertible inverse) {
    if (h.results().stream().allMatch(s::isZero)) {
      return;
    }
    int k = h.values().size();
    var adjoints = new ArrayList<Seed>();
    for (var y : h.results()) {
      adjoints.add(
          s.isZero(y)
              ? new Seed.None()
              : new Seed.Rows(
                  ReverseScatter.gather(
                      s.b, h.width(), (Var) s.takeValue(y), h.op().shape(), h.indices())));
    }
    var all = Lists.concat(h.values(), Invertible.constants(s.b, h.values()), h.indices());
    var totals = Invertible.constants(s.b, h.results());
    var types = all.stream().map(v -> Builder.rowType(v.type())).toList();
    var lambda =
        s.b.lambda(
            types,
            (in, p) -> {
              var index = p.subList(2 * k, p.size());
              var scalars = types.subList(0, k);
              return in.ifThenElse(
                  ReverseScatter.inside(in, index, h.op().shape()),
                  scalars,
                  then -> {
                    var z = totals.stream().map(t -> then.index(t, index.getFirst())).toList();
                    return inverse.around(then, z, p.subList(0, k), p.subList(k, 2 * k));
                  },
                  _ -> zeros(scalars));
            });
    ReverseMap.emit(r, s, h.width(), all, lambda, adjoints);
  }

  private static List<Atom> zeros(List<Type> types) {
    return types.stream().map(t -> (Atom) Atom.of(t.elemPrim(), 0)).toList();
  }
}
