package dev.kenaz.fuse;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Binders;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What of an accumulation can be computed outside of it, from nothing but the numbers of the
 * iterations that index the accumulator: rows of arrays from outside, and scalars made of them.
 */
final class OutsideFactor {
  private final FactoredSums.Place place;
  private final Set<Var> counting;

  /** All that the accumulation binds. */
  private final Set<Var> inside;

  /** What of that can be computed outside. */
  private final Set<Var> known = new HashSet<>();

  OutsideFactor(WithAcc w, FactoredSums.Place place, Set<Var> counting) {
    this.place = place;
    this.counting = counting;
    inside = Binders.of(w);
    for (int l = place.summed(); l < place.path().size(); l++) {
      var s = place.level(l);
      for (int k = 0; k < s.inputs().size(); k++) {
        if (counting.contains(s.inputs().get(k)) || isKnownArray(s.inputs().get(k))) {
          known.add(s.map().params().get(k));
        }
      }
      s.map().body().stms().stream()
          .filter(t -> Nest.movable(t) && areKnown(FreeVars.of(t)))
          .forEach(t -> known.add(t.var()));
    }
  }

  private boolean isKnown(Var v) {
    return !inside.contains(v) || known.contains(v);
  }

  private boolean areKnown(Collection<Var> vars) {
    return vars.stream().allMatch(this::isKnown);
  }

  private boolean isKnownArray(Var v) {
    return v.type().isArray() && isKnown(v);
  }

  /** Returns the product that a sum adds up, if it is one. */
  static Optional<Stm> product(Screma s, int result) {
    var added = s.map().body().results().get(s.scanWidth() + result);
    return s.map().body().stms().stream()
        .filter(t -> t.pattern().equals(List.of(added)))
        .filter(t -> t.exp() instanceof Binary b && b.op() == BinaryOp.MUL)
        .findFirst();
  }

  /** Whether this factor, in the operator's function, can be computed outside. */
  boolean has(Screma s, Atom factor) {
    var slice = BackwardSlice.of(s.map().body().stms(), List.of(factor));
    var own = new HashSet<>(Stm.bound(slice.stms()));
    for (int k = 0; k < s.inputs().size(); k++) {
      if (isKnownArray(s.inputs().get(k))) {
        own.add(s.map().params().get(k));
      }
    }
    return slice.stms().stream().allMatch(Nest::movable)
        && slice.used().stream().allMatch(v -> own.contains(v) || isKnown(v));
  }

  /** Whether an array of the sums of the other factor has a size that is known before. */
  boolean hasSizes(Screma s) {
    var sizes = new ArrayList<Atom>(List.of(s.width()));
    for (int l = place.summed(); l < place.path().size(); l++) {
      sizes.add(place.level(l).width());
    }
    return FreeVars.of(sizes).stream().noneMatch(inside::contains);
  }

  /**
   * Adds the sums of products of this factor and given sums of the other one; all of them, by the
   * indices of the accumulator.
   *
   * @param totals sums of the other factor, by the indices that it depends on
   */
  Var products(Builder b, FactoredSums.Found found, Var totals) {
    return (Var) products(b, found, totals, place.summed(), new HashMap<>());
  }

  private Atom products(
      Builder b, FactoredSums.Found found, Var totals, int l, Map<Var, Atom> values) {
    if (l == place.path().size()) {
      var sum = sum(b, found, totals, values);
      return found.negative() ? b.neg(sum) : sum;
    }
    var width = place.level(l).width();
    return b.map(
            width,
            List.of(b.iota(width)),
            (c, i) -> {
              bind(c, l, i.getFirst(), values);
              var row = l <= found.shared() ? (Var) c.index(totals, i.getFirst()) : totals;
              return List.of(products(c, found, row, l + 1, values));
            })
        .getFirst();
  }

  /** Computes what is known at one iteration of a level. */
  private void bind(Builder b, int l, Var i, Map<Var, Atom> values) {
    var s = place.level(l);
    for (int k = 0; k < s.inputs().size(); k++) {
      var param = s.map().params().get(k);
      if (counting.contains(s.inputs().get(k))) {
        values.put(param, i);
      } else if (known.contains(param)) {
        var array = (Var) new Renaming(values).atom(s.inputs().get(k));
        values.put(param, b.bind(param.name(), new Index(array, List.of(i), false)));
      }
    }
    for (var stm : s.map().body().stms()) {
      if (stm.pattern().size() == 1 && known.contains(stm.var())) {
        values.put(stm.var(), b.bind(stm.var().name(), new Renaming(values).exp(stm.exp())));
      }
    }
  }

  private Atom sum(Builder b, FactoredSums.Found found, Var totals, Map<Var, Atom> values) {
    var s = found.operator();
    var product = product(s, found.result()).orElseThrow();
    var slice = BackwardSlice.of(s.map().body().stms(), product.pattern());
    var inputs = new ArrayList<Var>();
    var params = new ArrayList<Var>();
    for (int k = 0; k < s.inputs().size(); k++) {
      if (slice.used().contains(s.map().params().get(k))) {
        inputs.add(s.inputs().get(k));
        params.add(s.map().params().get(k));
      }
    }
    var body = new Body(slice.stms(), List.copyOf(product.pattern()));
    var map = new Lambda(params, body, List.of(product.var().type()));
    var only =
        new Screma(
            s.width(),
            inputs,
            List.of(),
            s.reduces().subList(found.result(), found.result() + 1),
            map);
    var all = new HashMap<>(values);
    all.put(found.factor(), totals);
    return b.bind("sum", new Renaming(all).exp(only));
  }
}
