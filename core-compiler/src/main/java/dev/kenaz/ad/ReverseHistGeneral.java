package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ad.ReverseHist.OneHist;
import dev.kenaz.ad.ReverseMap.Seed;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * A histogram with any associative and commutative operator (003 §4.1, Figure 4). Elements of one
 * bin are brought together by sorting; two segmented scans then give each element v_i what its bin
 * combines before it, l_i, and after it, r_i; and {@code v̄_i += ∂(l_i ⊙ v_i ⊙ r_i)/∂v_i · ȳ[k_i]}.
 *
 * <p>Where we differ: elements without a bin are sorted to the end under one key, and the sort
 * takes as many passes as the number of bins has digits.
 */
final class ReverseHistGeneral {
  private final Builder b;
  private final OneHist h;
  private final Atom n;
  private final Atom bins;

  private ReverseHistGeneral(Builder b, OneHist h) {
    this.b = b;
    this.h = h;
    this.n = h.width();
    this.bins = h.op().shape().getFirst();
  }

  static void emit(Reverse r, Sweep s, OneHist h) {
    if (h.results().stream().allMatch(s::isZero)) {
      return;
    }
    new ReverseHistGeneral(s.b, h).run(r, s);
  }

  private void run(Reverse r, Sweep s) {
    var sorted = Sort.byKey(b, n, keys(), bins);
    var values = new ArrayList<Var>();
    for (var v : h.values()) {
      var gathered = Names.fresh(v.name(), v.type());
      var row = Builder.rowType(v.type());
      var gather =
          b.lambda(
              List.of(Type.I64),
              (in, p) -> List.of(in.bind("x", row, new Index(v, List.of(p.getFirst()), false))));
      b.bindAll(
          List.of(gathered),
          new Screma(n, List.of(sorted.origins()), List.of(), List.of(), gather));
      if (r.activity.active(v)) {
        r.activity.mark(gathered);
      }
      values.add(gathered);
    }
    var op = h.op().op();
    var ls = segments(sorted.keys(), values, op);
    var backKeys = Scans.reversed(b, sorted.keys());
    var flipped = Scans.flipped(op);
    var rs = Scans.reversed(b, segments(backKeys, Scans.reversed(b, values), flipped));
    var seeds = new ArrayList<Seed>();
    for (var y : h.results()) {
      if (s.isZero(y)) {
        seeds.add(new Seed.None());
      } else {
        var adjoint = (Var) s.takeValue(y);
        var shape = h.op().shape();
        var keys = List.of(sorted.keys());
        seeds.add(new Seed.Rows(ReverseScatter.gather(b, n, adjoint, shape, keys)));
      }
    }
    var all = new ArrayList<>(values);
    all.addAll(ls);
    all.addAll(rs);
    ReverseMap.emit(r, s, n, all, ReverseReduce.around(r, b, op), seeds);
    for (int i = 0; i < values.size(); i++) {
      if (!s.isZero(values.get(i))) {
        var back = scattered(sorted.origins(), (Var) s.takeValue(values.get(i)));
        s.add(h.values().get(i), back, true);
      }
    }
  }

  /** The bins' numbers; one past the last for what has none. */
  private Var keys() {
    return b.map(
            n,
            h.indices(),
            (in, p) -> {
              var inside = ReverseScatter.inside(in, p, h.op().shape());
              return List.of(ScalarDerivatives.choose(in, inside, p.getFirst(), bins));
            })
        .getFirst();
  }

  /** The exclusive scan within stretches of equal keys. */
  private List<Var> segments(Var keys, List<Var> values, Lambda op) {
    var starts =
        b.map(
                n,
                List.of(b.iota(n)),
                (in, p) -> {
                  var i = p.getFirst();
                  return in.ifThenElse(
                      in.compare(CompareOp.EQ, i, i64(0)),
                      List.of(Type.BOOL),
                      _ -> List.of(Atom.bool(true)),
                      c -> {
                        var before = c.index(keys, c.sub(i, i64(1)));
                        return List.of(c.not(c.compare(CompareOp.EQ, before, c.index(keys, i))));
                      });
                })
            .getFirst();
    int k = values.size();
    var arrays = new ArrayList<Var>(List.of(starts));
    arrays.addAll(values);
    var neutral = new ArrayList<Atom>(List.of(Atom.bool(false)));
    neutral.addAll(h.op().neutral());
    var scanned = Scans.inclusive(b, n, arrays, segmented(op), neutral).subList(1, k + 1);
    return b.map(
        n,
        List.of(b.iota(n), starts),
        (in, p) ->
            in.ifThenElse(
                p.get(1),
                h.op().neutral().stream().map(Atom::type).toList(),
                _ -> h.op().neutral(),
                c -> {
                  var before = c.sub(p.get(0), i64(1));
                  return scanned.stream().map(a -> c.index(a, before)).toList();
                }));
  }

  /** {@code (f, x) ⊙ (g, y) = (f || g, if g then y else x ⊙ y)}. */
  private Lambda segmented(Lambda op) {
    int k = op.params().size() / 2;
    var types = new ArrayList<Type>();
    for (int side = 0; side < 2; side++) {
      types.add(Type.BOOL);
      op.params().subList(0, k).forEach(p -> types.add(p.type()));
    }
    return b.lambda(
        types,
        (in, p) -> {
          var results = new ArrayList<Atom>();
          results.add(in.binary(BinaryOp.OR, p.get(0), p.get(k + 1)));
          var x = p.subList(1, k + 1);
          var y = p.subList(k + 2, 2 * k + 2);
          results.addAll(
              in.ifThenElse(
                  p.get(k + 1),
                  y.stream().map(Var::type).toList(),
                  _ -> y,
                  c -> c.call(new Renaming().lambda(op), ReverseReduce.join(x, y))));
          return results;
        });
  }

  /** Every row back where it was before the sort. */
  private Var scattered(Var origins, Var rows) {
    var type = rows.type();
    var inputs = List.of(origins, rows);
    var dest = b.bind("adj", new Scratch(type.elemPrim(), type.dims()));
    var identity = ReverseScrema.identity(b, inputs);
    return b.bind(
        "adj", new Scatter(n, inputs, List.of(new ScatterDest(List.of(n), dest)), identity));
  }
}
