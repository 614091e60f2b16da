package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The adjoints of a scan's results (003 §5.1, §5.2): {@code r̄_i = ȳ_i + J_(i+1)ᵀ r̄_(i+1)}, by a
 * scan from the right over the functions {@code x ↦ b + C x}, which compose: {@code (b1, C1) then
 * (b2, C2)} is {@code (b2 + C2 b1, C2 C1)}. Vectors and matrices are written out as scalars.
 *
 * <p>Where we differ: sparsity is not looked for as block shapes (§5.3.3). The Jacobian's columns
 * come from forward mode with symbolic zeros, so that the places that are always zero are known;
 * the pattern is closed under multiplication, and only the places in it are computed and scanned.
 * Components that don't meet are separate scans. Block-diagonal is one case, triangular another.
 */
final class LinearRecurrence {
  private final Builder b;
  private final Atom n;
  private final List<Integer> active = new ArrayList<>();

  private LinearRecurrence(Builder b, Atom n) {
    this.b = b;
    this.n = n;
  }

  /** One adjoint a result, null where it isn't active. Takes the results' adjoints. */
  static List<Var> solve(
      Reverse r, Sweep s, List<Var> results, Atom n, List<Var> inputs, Lambda op) {
    var self = new LinearRecurrence(s.b, n);
    for (int k = 0; k < results.size(); k++) {
      if (r.activity.active(results.get(k))) {
        self.active.add(k);
      }
    }
    var adjoints = new HashMap<Integer, Var>();
    for (int k : self.active) {
      adjoints.put(k, (Var) s.value(results.get(k)));
      s.take(results.get(k));
    }
    var jacobian = self.jacobian(results, inputs, op);
    var solved = new HashMap<Integer, Var>();
    for (var component : Sparsity.components(self.active, jacobian.keySet())) {
      self.scan(component, jacobian, adjoints, solved);
    }
    var all = new ArrayList<Var>();
    for (int k = 0; k < results.size(); k++) {
      all.add(solved.get(k));
    }
    return all;
  }

  /** A place of the Jacobian: {@code ∂ result / ∂ left operand}. */
  record Place(int result, int operand) {}

  /** For every i the Jacobian between r_i and r_(i+1); zeros for the last i. */
  private Map<Place, Var> jacobian(List<Var> results, List<Var> inputs, Lambda op) {
    var places = new ArrayList<Place>();
    var map =
        b.lambda(
            List.of(Type.I64),
            (in, p) -> {
              var i = p.getFirst();
              var next = in.add(i, i64(1));
              var last = in.compare(CompareOp.EQ, next, n);
              var probe = columns(in.inner(), results, inputs, op, i, next);
              places.addAll(probe.places());
              var types = probe.body().results().stream().map(Atom::type).toList();
              var zeros = types.stream().map(t -> (Atom) Atom.of(t.elemPrim(), 0)).toList();
              var exp = new If(last, new dev.kenaz.ir.Body(List.of(), zeros), probe.body());
              return in.bindAll("jac", types, exp);
            });
    var arrays = b.screma(n, List.of(b.iota(n)), List.of(), List.of(), map);
    var result = new HashMap<Place, Var>();
    for (int k = 0; k < places.size(); k++) {
      result.put(places.get(k), arrays.get(k));
    }
    return result;
  }

  private record Columns(List<Place> places, dev.kenaz.ir.Body body) {}

  private Columns columns(
      Builder in, List<Var> results, List<Var> inputs, Lambda op, Var i, Atom next) {
    int k = results.size();
    var arguments = new ArrayList<Atom>();
    results.forEach(v -> arguments.add(in.index(v, i)));
    inputs.forEach(v -> arguments.add(in.index(v, next)));
    var places = new ArrayList<Place>();
    var values = new ArrayList<Atom>();
    for (int j : active) {
      var copy = new Renaming().lambda(op);
      for (int side = 0; side < 2 * k; side++) {
        in.bindAll(List.of(copy.params().get(side)), new Copied(arguments.get(side)));
      }
      var operand = copy.params().get(j);
      var activity = new Activity();
      activity.mark(operand);
      activity.body(copy.body());
      var forward = new Forward(activity);
      forward.set(operand, Atom.of(operand.type().elemPrim(), 1));
      forward.stms(in, copy.body().stms());
      for (int m : active) {
        var y = copy.body().results().get(m);
        if (forward.has(y)) {
          places.add(new Place(m, j));
          values.add(forward.tangent(in, y));
        }
      }
    }
    return new Columns(places, in.body(values));
  }

  /** The recurrence among these operands only. */
  private void scan(
      List<Integer> component,
      Map<Place, Var> jacobian,
      Map<Integer, Var> adjoints,
      Map<Integer, Var> solved) {
    var own = jacobian.keySet().stream().filter(p -> component.contains(p.operand())).toList();
    if (own.isEmpty()) {
      component.forEach(k -> solved.put(k, adjoints.get(k)));
      return;
    }
    // C = Jᵀ: its place (operand, result) is J's (result, operand)
    var pattern = Sparsity.closure(own, component);
    var arrays = new ArrayList<Var>();
    var neutral = new ArrayList<Atom>();
    for (int k : component) {
      arrays.add(Scans.reversed(b, adjoints.get(k)));
      neutral.add(Atom.of(adjoints.get(k).type().elemPrim(), 0));
    }
    for (var p : pattern) {
      var prim = adjoints.get(p.operand()).type().elemPrim();
      var entry = jacobian.get(p);
      arrays.add(
          entry != null ? Scans.reversed(b, entry) : b.replicate(List.of(n), Atom.of(prim, 0)));
      neutral.add(Atom.of(prim, p.result() == p.operand() ? 1 : 0));
    }
    var types = arrays.stream().map(v -> Builder.rowType(v.type())).toList();
    var op = compose(types, component, pattern);
    var scanned =
        b.screma(
            n,
            arrays,
            List.of(new Scan(op, neutral)),
            List.of(),
            ReverseScrema.identity(b, arrays));
    for (int k = 0; k < component.size(); k++) {
      solved.put(component.get(k), Scans.reversed(b, scanned.get(k)));
    }
  }

  private Lambda compose(List<Type> types, List<Integer> component, List<Place> pattern) {
    var both = new ArrayList<>(types);
    both.addAll(types);
    int d = component.size();
    int width = types.size();
    return b.lambda(
        both,
        (in, p) -> {
          var results = new ArrayList<Atom>();
          for (int j : component) {
            Atom sum = p.get(width + component.indexOf(j));
            for (int k = 0; k < pattern.size(); k++) {
              if (pattern.get(k).operand() == j) {
                var x = p.get(component.indexOf(pattern.get(k).result()));
                sum = in.add(sum, in.mul(p.get(width + d + k), x));
              }
            }
            results.add(sum);
          }
          for (var place : pattern) {
            Atom sum = null;
            for (int k = 0; k < pattern.size(); k++) {
              // (C2 C1)(operand, result) = Σ_m C2(operand, m) C1(m, result)
              int m = pattern.indexOf(new Place(place.result(), pattern.get(k).result()));
              if (pattern.get(k).operand() == place.operand() && m >= 0) {
                var term = in.mul(p.get(width + d + k), p.get(d + m));
                sum = sum == null ? term : in.add(sum, term);
              }
            }
            results.add(sum == null ? Atom.of(types.getFirst().elemPrim(), 0) : sum);
          }
          return results;
        });
  }
}
