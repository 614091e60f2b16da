package dev.kenaz.ad;

import static dev.kenaz.ir.Atom.i64;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Scans;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Computes the adjoints of a scan's results (003 §5.1, §5.2): {@code r̄_i = ȳ_i + J_(i+1)ᵀ
 * r̄_(i+1)}, by a scan from the right over the functions {@code x ↦ b + C x}, which compose: {@code
 * (b1, C1) then (b2, C2)} is {@code (b2 + C2 b1, C2 C1)}. Vectors and matrices are written out as
 * scalars.
 *
 * <p>Where we differ: the compiler doesn't look for sparsity in the form of blocks (§5.3.3). The
 * Jacobian's columns come from forward mode with symbolic zeros, so that the places that are always
 * zero are known; the pattern is closed under multiplication, and only the places in it are
 * computed and scanned. Components that don't meet are separate scans: block-diagonal is one case,
 * triangular another. Components with equal blocks share one scan of the block (§5.3.4), and places
 * that are always 1 are not scanned, so that addition needs no rule of its own.
 */
final class LinearRecurrence {
  private final Builder b;
  private final Atom n;
  private final List<Integer> active;
  private final Map<Integer, Var> adjoints = new HashMap<>();

  /**
   * This holds, for every place that isn't always zero, the array of its values, or the constant 1.
   */
  private final Map<Place, Atom> jacobian = new LinkedHashMap<>();

  private boolean mixes;

  private LinearRecurrence(Builder b, Atom n, List<Integer> active) {
    this.b = b;
    this.n = n;
    this.active = active;
  }

  /** A place of the Jacobian holds {@code ∂ result / ∂ left operand}. */
  record Place(int result, int operand) {}

  /** A plan divides the recurrence into groups of blocks of the same shape and the same values. */
  record Plan(LinearRecurrence recurrence, List<List<List<Integer>>> groups) {
    /** Returns the size of the largest block. */
    int width() {
      return recurrence.mixes
          ? Integer.MAX_VALUE
          : groups.stream().mapToInt(g -> g.getFirst().size()).max().orElse(0);
    }

    /** Whether numbers of one type depend on those of another: matrices then have no one type. */
    boolean mixes() {
      return recurrence.mixes;
    }

    /**
     * Returns the adjoints of the results, with null where one isn't active. It takes the adjoints
     * of the results' uses.
     */
    List<Var> solve(Sweep s, List<Var> results) {
      var self = recurrence;
      for (int k : self.active) {
        self.adjoints.put(k, (Var) s.value(results.get(k)));
        s.take(results.get(k));
      }
      var solved = new HashMap<Integer, Var>();
      groups.forEach(g -> self.scan(g, solved));
      return IntStream.range(0, results.size()).mapToObj(k -> solved.get(k)).toList();
    }
  }

  /** Emits the Jacobians, and plans how to solve the recurrence. */
  static Plan plan(Builder b, List<Integer> active, List<Var> results, Atom n, Scanned scanned) {
    var self = new LinearRecurrence(b, n, active);
    self.computeJacobian(results, scanned);
    var groups = new ArrayList<List<List<Integer>>>();
    for (var component : Sparsity.components(active, self.jacobian.keySet())) {
      var same = groups.stream().filter(g -> self.sameBlock(g.getFirst(), component)).findFirst();
      if (same.isPresent()) {
        same.get().add(component);
      } else {
        groups.add(new ArrayList<>(List.of(component)));
      }
    }
    return new Plan(self, groups);
  }

  /** What is scanned, by which operator, in code where {@code activity} tells what is active. */
  record Scanned(List<Var> inputs, Lambda op, Activity activity) {}

  private boolean sameBlock(List<Integer> x, List<Integer> y) {
    if (x.size() != y.size()) {
      return false;
    }
    for (int i = 0; i < x.size(); i++) {
      for (int j = 0; j < x.size(); j++) {
        var here = jacobian.get(new Place(x.get(i), x.get(j)));
        var there = jacobian.get(new Place(y.get(i), y.get(j)));
        if (!Objects.equals(here, there)) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Computes for every i the Jacobian between r_i and r_(i+1), the last i first, as the recurrence
   * wants them; what it is for the last i doesn't matter.
   */
  private void computeJacobian(List<Var> results, Scanned scanned) {
    var entries = new LinkedHashMap<Place, Atom>();
    var distinct = new ArrayList<Atom>();
    var map =
        b.lambda(
            List.of(Type.I64),
            (in, p) -> {
              var next = p.getFirst();
              var last = in.compare(CompareOp.EQ, next, n);
              var probe = in.inner();
              var i = probe.sub(next, i64(1));
              entries.putAll(columns(probe, results, scanned, i, next));
              for (var x : entries.values()) {
                if (!x.isConst(1) && !distinct.contains(x)) {
                  distinct.add(x);
                }
              }
              var types = distinct.stream().map(Atom::type).toList();
              var zeros = types.stream().map(t -> (Atom) Atom.of(t.elemPrim(), 0)).toList();
              var exp = new If(last, new Body(List.of(), zeros), probe.body(distinct));
              return in.bindAll("jac", types, exp);
            });
    var arrays =
        distinct.isEmpty()
            ? List.<Var>of()
            : b.screma(n, List.of(next()), List.of(), List.of(), map);
    entries.forEach(
        (place, x) -> jacobian.put(place, x.isConst(1) ? x : arrays.get(distinct.indexOf(x))));
  }

  /** Makes an array of the indices from n down to 1. */
  private Var next() {
    return b.bind("next", new Iota(n, n, i64(-1)));
  }

  private Map<Place, Atom> columns(
      Builder in, List<Var> results, Scanned scanned, Atom i, Atom next) {
    var arguments = new ArrayList<Atom>();
    results.forEach(v -> arguments.add(in.index(v, i)));
    scanned.inputs().forEach(v -> arguments.add(in.index(v, next)));
    var entries = new LinkedHashMap<Place, Atom>();
    for (int j : active) {
      var own = new ArrayList<>(arguments);
      var operand = in.bind("x", new Alias(arguments.get(j)));
      own.set(j, operand);
      var body = Renaming.call(scanned.op(), own);
      var activity = scanned.activity().fresh();
      activity.mark(operand);
      activity.body(body);
      mixes |= activity.converts();
      var forward = new Forward(activity);
      forward.set(operand, Atom.of(operand.type().elemPrim(), 1));
      forward.stms(in, body.stms());
      for (int m : active) {
        var y = body.results().get(m);
        if (forward.has(y)) {
          mixes |= !y.type().equals(operand.type()) || y.type().equals(Type.BOOL);
          entries.put(new Place(m, j), forward.tangent(in, y));
        }
      }
    }
    return entries;
  }

  /** Scans the recurrence among some operands, for several sets of them with the same matrices. */
  private void scan(List<List<Integer>> group, Map<Integer, Var> solved) {
    var component = group.getFirst();
    var block = new Block(component, jacobian);
    if (block.isZero()) {
      group.forEach(c -> c.forEach(k -> solved.put(k, adjoints.get(k))));
      return;
    }
    var arrays = new ArrayList<Var>();
    var neutral = new ArrayList<Atom>();
    for (var c : group) {
      for (int k : c) {
        arrays.add(Scans.reversed(b, adjoints.get(k)));
        neutral.add(Atom.of(adjoints.get(k).type().elemPrim(), 0));
      }
    }
    for (var p : block.scanned()) {
      var prim = adjoints.get(p.operand()).type().elemPrim();
      arrays.add(
          switch (jacobian.get(p)) {
            case null -> b.replicate(List.of(n), Atom.of(prim, 0));
            case Var v -> v;
            case Const c -> b.replicate(List.of(n), c);
          });
      neutral.add(Atom.of(prim, p.result() == p.operand() ? 1 : 0));
    }
    var types = arrays.stream().map(v -> Builder.rowType(v.type())).toList();
    var scan = new Scan(compose(types, group, block), neutral);
    var identity = b.identity(arrays);
    var out = b.screma(n, arrays, List.of(scan), List.of(), identity);
    int at = 0;
    for (var c : group) {
      for (int k : c) {
        solved.put(k, Scans.reversed(b, out.get(at++)));
      }
    }
  }

  private Lambda compose(List<Type> types, List<List<Integer>> group, Block block) {
    var both = Lists.concat(types, types);
    int d = group.getFirst().size();
    int vectors = d * group.size();
    int width = types.size();
    return b.lambda(
        both,
        (in, p) -> {
          var first = block.entries(p.subList(vectors, width));
          var second = block.entries(p.subList(width + vectors, 2 * width));
          var results = new ArrayList<Atom>();
          for (int g = 0; g < group.size(); g++) {
            for (int j = 0; j < d; j++) {
              // b2 + C2 b1, where C is the transposed Jacobian
              Atom sum = p.get(width + g * d + j);
              for (int m = 0; m < d; m++) {
                var c = second.get(block.place(m, j));
                if (c != null) {
                  sum = in.mulAdd(c, p.get(g * d + m), sum);
                }
              }
              results.add(sum);
            }
          }
          block.scanned().forEach(place -> results.add(product(in, block, place, first, second)));
          return results;
        });
  }

  /** One place of {@code C2 C1}, that is of {@code J1 J2}. */
  private static Atom product(
      Builder in, Block block, Place place, Map<Place, Atom> first, Map<Place, Atom> second) {
    Atom sum = null;
    for (int m : block.component()) {
      var x = first.get(new Place(place.result(), m));
      var y = second.get(new Place(m, place.operand()));
      if (x != null && y != null) {
        sum = sum == null ? in.mul(x, y) : in.mulAdd(x, y, sum);
      }
    }
    return sum;
  }

  /** One block: which places can be other than zero, and which are always 1. */
  private record Block(List<Integer> component, List<Place> scanned, List<Place> ones) {
    Block(List<Integer> component, Map<Place, Atom> jacobian) {
      this(component, new ArrayList<>(), new ArrayList<>());
      var own = jacobian.keySet().stream().filter(p -> component.contains(p.operand())).toList();
      if (own.isEmpty()) {
        return;
      }
      var pattern = Sparsity.closure(own, component);
      for (var p : pattern) {
        boolean cyclic =
            component.stream()
                .anyMatch(
                    m ->
                        m != p.result()
                            && pattern.contains(new Place(p.result(), m))
                            && pattern.contains(new Place(m, p.result())));
        var entry = jacobian.get(p);
        boolean one = p.result() == p.operand() && entry != null && entry.isConst(1) && !cyclic;
        (one ? ones : scanned).add(p);
      }
    }

    boolean isZero() {
      return scanned.isEmpty() && ones.isEmpty();
    }

    Place place(int result, int operand) {
      return new Place(component.get(result), component.get(operand));
    }

    Map<Place, Atom> entries(List<Var> values) {
      var map = new HashMap<Place, Atom>();
      for (int i = 0; i < scanned.size(); i++) {
        map.put(scanned.get(i), values.get(i));
      }
      ones.forEach(p -> map.put(p, Atom.of(Prim.F64, 1)));
      return map;
    }
  }
}
