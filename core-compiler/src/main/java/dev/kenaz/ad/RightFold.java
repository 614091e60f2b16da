package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Computes the adjoints of a scan's results without Jacobians, for wide tuples and for operators on
 * arrays, by the rule of PPAD (003 §9, Figure 11): a scan from the right over {@code (r_i, a_(i+1),
 * ȳ_i)} with
 *
 * <pre>{@code (r1, a1, y1) ⊙ (r2, a2, y2) = (r1, a1 ⊙ a2, y1 + ∂(r1 ⊙ a1)/∂r1 · y2)}</pre>
 *
 * <p>where a1 of a stretch combines everything that lies between its first result and the result
 * after its last.
 */
final class RightFold {
  private final Reverse r;
  private final Sweep s;
  private final Builder b;
  private final Lambda op;
  private final List<Integer> active;
  private final int k;

  private RightFold(Reverse r, Sweep s, Lambda op, List<Integer> active) {
    this.r = r;
    this.s = s;
    this.b = s.b;
    this.op = op;
    this.active = active;
    this.k = op.returns().size();
  }

  /**
   * Returns the adjoints of the results, with null where one isn't active. It takes the adjoints of
   * the results' uses.
   */
  static List<Var> solve(
      Reverse r,
      Sweep s,
      List<Integer> active,
      List<Var> results,
      Atom n,
      List<Var> inputs,
      Scan scan) {
    return new RightFold(r, s, scan.op(), active).run(results, n, inputs, scan.neutral());
  }

  private List<Var> run(List<Var> results, Atom n, List<Var> inputs, List<Atom> neutral) {
    var arrays = new ArrayList<>(results);
    arrays.addAll(next(n, inputs, neutral));
    var zeros = new ArrayList<>(neutral);
    zeros.addAll(neutral);
    for (int j : active) {
      var y = results.get(j);
      arrays.add((Var) s.value(y));
      s.take(y);
      zeros.add(b.zero(Builder.rowType(y.type())));
    }
    var backwards = Scans.reversed(b, arrays);
    var types = arrays.stream().map(v -> Builder.rowType(v.type())).toList();
    var out = Scans.inclusive(b, n, backwards, combine(types), zeros);
    var all = new ArrayList<Var>();
    for (int j = 0; j < k; j++) {
      int at = active.indexOf(j);
      all.add(at < 0 ? null : Scans.reversed(b, out.get(2 * k + at)));
    }
    return all;
  }

  /** The element after each element; after the last comes any value. */
  private List<Var> next(Atom n, List<Var> inputs, List<Atom> neutral) {
    return b.map(
        n,
        List.of(b.iota(n)),
        (in, p) -> {
          var i = in.add(p.getFirst(), i64(1));
          return in.ifThenElse(
              in.compare(CompareOp.LT, i, n),
              neutral.stream().map(Atom::type).toList(),
              c -> inputs.stream().map(a -> c.index(a, i)).toList(),
              _ -> neutral);
        });
  }

  private Lambda combine(List<Type> types) {
    int width = types.size();
    var both = Lists.concat(types, types);
    return b.lambda(
        both,
        (in, p) -> {
          // the scan is from the right: the right operand is what has been combined so far
          var right = p.subList(0, width);
          var left = p.subList(width, 2 * width);
          var x1 = left.subList(0, k);
          var a1 = left.subList(k, 2 * k);
          var y2 = right.subList(2 * k, width);
          var results = new ArrayList<Atom>(x1);
          results.addAll(in.call(op, Lists.concat(a1, right.subList(k, 2 * k))));
          var pulled = pull(in, x1, a1, y2);
          for (int j = 0; j < active.size(); j++) {
            results.add(in.plus(left.get(2 * k + j), pulled.get(j)));
          }
          return results;
        });
  }

  /** Computes {@code ∂(x ⊙ a)/∂x · y}; free variables of the operator are constants here. */
  private List<Atom> pull(Builder in, List<Var> x, List<Var> a, List<Var> y) {
    var activity = r.activity.fresh();
    var own = new ArrayList<Var>();
    for (var v : x) {
      var copy = Names.like(v);
      in.bindAll(List.of(copy), new Alias(v));
      own.add(copy);
    }
    active.forEach(j -> activity.mark(own.get(j)));
    var body = Renaming.call(op, Lists.concat(own, a));
    var back = new Reverse(activity, r.options, r.forms()).forward(in, body);
    var sweep = new Sweep(in, activity);
    for (int j = 0; j < active.size(); j++) {
      sweep.add(body.results().get(active.get(j)), y.get(j), false);
    }
    back.emit(sweep);
    return active.stream().map(j -> sweep.value(own.get(j))).toList();
  }
}
