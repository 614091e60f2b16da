package dev.kenaz.jvm;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.loopir.Liveness;
import dev.kenaz.loopir.Reg;
import dev.kenaz.loopir.Registers;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Orders the statements of a loop's body by what is stored: what a result needs comes just before
 * it, and results that need the same follow one another. So few values are needed at once, and a
 * body that is cut into several has few values to hand from one part to the next.
 *
 * <pre>
 *   p0 = a0 * b0; p1 = a1 * b1; q0 = p0 + c0; q1 = p1 + c1; r0[i] = q0; r1[i] = q1
 *     =&gt;  p0 = a0 * b0; q0 = p0 + c0; r0[i] = q0; p1 = a1 * b1; q1 = p1 + c1; r1[i] = q1
 * </pre>
 *
 * <p>Only statements without other effects than stores are moved, and only where nothing is read
 * that was stored before. Stores that may be to the same array keep their order, and come after
 * what reads that array.
 */
final class DemandOrder {
  /** Bodies with more statements stay as they are, to order them takes too long. */
  private static final int MOST_STATEMENTS = 4000;

  private final List<Code> body;
  private final PointLoop points;
  private final Map<Reg, Integer> definitions = new HashMap<>();

  /** The arrays that each statement reads, and those to which it stores. */
  private final List<Set<Expr>> loaded = new ArrayList<>();

  private final List<Set<Expr>> stored = new ArrayList<>();

  /** The statements that each statement needs, and itself. */
  private final List<BitSet> slices = new ArrayList<>();

  /** The statements that set what each statement reads. */
  private final List<List<Integer>> operands = new ArrayList<>();

  private final BitSet done = new BitSet();
  private final List<Code> ordered = new ArrayList<>();

  private DemandOrder(PointLoop points) {
    this.points = points;
    this.body = summedAtOnce(points.loop());
  }

  /** Returns the body of the loop in that order. */
  static List<Code> of(PointLoop points) throws Unsuitable {
    PointLoop.require(points.loop().body().size() <= MOST_STATEMENTS);
    var order = new DemandOrder(points);
    order.requireMovable(order.body);
    order.findAccesses();
    order.define();
    order.results(order.roots());
    return order.ordered;
  }

  /**
   * Returns the body with each sum in one statement, so that it isn't cut in between.
   *
   * <pre>
   *   t = sum + x; sum = t  =&gt;  sum = sum + x
   * </pre>
   */
  private static List<Code> summedAtOnce(Code.For loop) {
    var sums = loop.reductions().stream().map(Code.Reduction::reg).collect(Collectors.toSet());
    var reads = Registers.reads(loop.body());
    var next = new HashMap<Reg, Expr>();
    for (var c : loop.body()) {
      if (c instanceof Code.Set(var t, var e)
          && reads.getOrDefault(t, 0) == 1
          && Operands.reads(e, sums)) {
        next.put(t, e);
      }
    }
    var used = new HashSet<Reg>();
    var out = new ArrayList<Code>();
    for (var c : loop.body()) {
      if (c instanceof Code.Set(var sum, Expr.Use(var t))
          && sums.contains(sum)
          && next.containsKey(t)) {
        used.add(t);
        out.add(new Code.Set(sum, next.get(t)));
      } else {
        out.add(c);
      }
    }
    out.removeIf(c -> c instanceof Code.Set(var t, _) && used.contains(t));
    return out;
  }

  private void requireMovable(List<Code> code) throws Unsuitable {
    for (var c : code) {
      switch (c) {
        case Code.Set _, Code.Store _ -> {}
        case Code.If(_, var then, var otherwise) -> {
          requireMovable(then);
          requireMovable(otherwise);
        }
        default -> throw new Unsuitable("has statements that keep their order");
      }
    }
  }

  /** Finds the arrays that each statement reads, and those to which it stores. */
  private void findAccesses() {
    for (var c : body) {
      var from = new HashSet<Expr>();
      var to = new HashSet<Expr>();
      CodeWalk.code(
          List.of(c),
          s -> {
            if (s instanceof Code.Store(_, var base, _, _)) {
              to.add(base);
            }
          },
          e -> {
            if (e instanceof Expr.Load(_, var base, _)) {
              from.add(base);
            }
          });
      loaded.add(from);
      stored.add(to);
    }
  }

  /** Finds what each statement needs. No register may be set twice, or read before it is set. */
  private void define() throws Unsuitable {
    for (int k = 0; k < body.size(); k++) {
      for (var reg : Registers.of(body.subList(k, k + 1)).assigned()) {
        PointLoop.require(definitions.put(reg, k) == null);
      }
    }
    for (int k = 0; k < body.size(); k++) {
      var slice = new BitSet();
      var from = new ArrayList<Integer>();
      for (var reg : Liveness.of(body.subList(k, k + 1)).needed()) {
        var at = definitions.get(reg);
        // A sum reads what it sets: that is its value after the point before.
        if (at != null && !(at == k && sums(k))) {
          PointLoop.require(at < k);
          from.add(at);
        }
      }
      from.addAll(overwrites(k));
      from.forEach(at -> slice.or(slices.get(at)));
      slice.set(k);
      slices.add(slice);
      operands.add(from.stream().distinct().toList());
    }
  }

  /** Returns the statements before that read where this one stores. */
  private List<Integer> overwrites(int k) throws Unsuitable {
    var from = new ArrayList<Integer>();
    for (int j = 0; j < body.size() && !stored.get(k).isEmpty(); j++) {
      if (j != k && overlap(stored.get(k), loaded.get(j))) {
        PointLoop.require(j < k);
        from.add(j);
      }
    }
    return from;
  }

  private boolean sums(int k) {
    return body.get(k) instanceof Code.Set(var reg, _)
        && points.loop().reductions().stream().anyMatch(r -> r.reg().equals(reg));
  }

  /** A result: statements that keep their order, and all that they need. */
  private record Root(List<Integer> statements, Set<Expr> bases, BitSet slice) {}

  private List<Root> roots() {
    var roots = new ArrayList<Root>();
    for (int k = 0; k < body.size(); k++) {
      if (stored.get(k).isEmpty() && !sums(k)) {
        continue;
      }
      var all = new Root(new ArrayList<>(), new HashSet<>(stored.get(k)), new BitSet());
      var same = roots.stream().filter(r -> overlap(r.bases, all.bases)).toList();
      roots.removeAll(same);
      for (var r : same) {
        all.statements.addAll(r.statements);
        all.bases.addAll(r.bases);
        all.slice.or(r.slice);
      }
      all.statements.add(k);
      all.statements.sort(Comparator.naturalOrder());
      all.slice.or(slices.get(k));
      roots.add(all);
    }
    return roots;
  }

  private boolean overlap(Set<Expr> some, Set<Expr> others) {
    return some.stream().anyMatch(x -> others.stream().anyMatch(y -> points.overlap(x, y)));
  }

  /** Always takes the result next that needs least of what isn't there. */
  private void results(List<Root> roots) {
    var left = new ArrayList<>(roots);
    while (!left.isEmpty()) {
      var next = left.stream().min(Comparator.comparingInt(r -> missing(r.slice))).orElseThrow();
      left.remove(next);
      next.statements.forEach(this::demand);
    }
  }

  private int missing(BitSet slice) {
    var rest = (BitSet) slice.clone();
    rest.andNot(done);
    return rest.cardinality();
  }

  /** Operands that need much come first, so that others don't wait for them. */
  private void demand(int k) {
    if (done.get(k)) {
      return;
    }
    var needs = new HashMap<Integer, Integer>();
    operands.get(k).forEach(o -> needs.put(o, missing(slices.get(o))));
    operands.get(k).stream()
        .sorted(Comparator.comparing(needs::get, Comparator.reverseOrder()))
        .forEach(this::demand);
    done.set(k);
    ordered.add(body.get(k));
  }
}
