package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Scan;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Divides an operator on tuples of which some components don't depend on others into several
 * operators. As such each can have its own derivative, vectors and atomic instructions. Side by
 * side they compute what the operator does, for all arguments. Components that only seem to depend
 * on each other, as in {@code a + (b - b)}, stay together, and so does an operator with effects.
 *
 * <pre>
 *   reduce (\(a, b) (c, d) -> (a + c, max b d)) (0, -inf) (map f xs)
 *     is  reduce (+) 0 and reduce max (-inf) of the same map
 * </pre>
 */
public final class Components {
  private final List<Integer> order = new ArrayList<>();
  private final List<Scan> scans = new ArrayList<>();
  private final List<Reduce> reduces = new ArrayList<>();

  private Components() {}

  /** Returns the statement with the operator divided, or nothing if it can't be. */
  static Optional<Stm> separate(Stm stm, Screma s) {
    var c = new Components();
    for (var scan : s.scans()) {
      for (var part : c.next(scan.op())) {
        c.scans.add(new Scan(only(scan.op(), part), Lists.pick(scan.neutral(), part)));
      }
    }
    for (var reduce : s.reduces()) {
      for (var part : c.next(reduce.op())) {
        var neutral = Lists.pick(reduce.neutral(), part);
        c.reduces.add(new Reduce(only(reduce.op(), part), neutral, reduce.commutative()));
      }
    }
    if (c.scans.size() + c.reduces.size() == s.scans().size() + s.reduces().size()) {
      return Optional.empty();
    }
    for (int k = c.order.size(); k < stm.pattern().size(); k++) {
      c.order.add(k);
    }
    var map = s.map();
    var body = new Body(map.body().stms(), Lists.pick(map.body().results(), c.order));
    var lambda = new Lambda(map.params(), body, Lists.pick(map.returns(), c.order));
    var apart = new Screma(s.width(), s.inputs(), c.scans, c.reduces, lambda);
    return Optional.of(stm.with(Lists.pick(stm.pattern(), c.order), apart));
  }

  /** Returns the components of the next operator, whose operands come next in the map's results. */
  private List<List<Integer>> next(Lambda op) {
    int first = order.size();
    var parts = of(op);
    parts.forEach(part -> part.forEach(k -> order.add(first + k)));
    return parts;
  }

  /**
   * Some components of an operator.
   *
   * @param positions which components of the tuple, ascending
   * @param op the operator on them
   */
  public record Part(List<Integer> positions, Lambda op) {
    /** Returns what belongs to these components. */
    public <T> List<T> of(List<T> all) {
      return Lists.pick(all, positions);
    }
  }

  public static Part whole(Lambda op) {
    return new Part(IntStream.range(0, op.returns().size()).boxed().toList(), op);
  }

  /**
   * Returns the parts that don't need each other's operands, in the order of their first
   * components.
   */
  public static List<Part> parts(Lambda op) {
    return of(op).stream().map(c -> new Part(c, only(op, c))).toList();
  }

  /** Results of an operator by whether they need each other's operands; each in order. */
  public static List<List<Integer>> of(Lambda op) {
    int n = op.returns().size();
    if (n == 1 || Effects.observable(op.body())) {
      return List.of(whole(op).positions());
    }
    var needs = new ArrayList<Set<Integer>>();
    for (int k = 0; k < n; k++) {
      var free = FreeVars.of(new DeadCode().body(body(op, List.of(k))));
      var mine = new HashSet<>(Set.of(k));
      for (int p = 0; p < op.params().size(); p++) {
        if (free.contains(op.params().get(p))) {
          mine.add(p % n);
        }
      }
      needs.add(mine);
    }
    var components = new ArrayList<List<Integer>>();
    var done = new HashSet<Integer>();
    for (int k = 0; k < n; k++) {
      if (!done.contains(k)) {
        var together = closure(needs, k);
        done.addAll(together);
        components.add(together.stream().sorted().toList());
      }
    }
    return components;
  }

  private static Set<Integer> closure(List<Set<Integer>> needs, int from) {
    var all = new HashSet<>(Set.of(from));
    boolean grows = true;
    while (grows) {
      grows = false;
      for (int k = 0; k < needs.size(); k++) {
        if (all.contains(k)) {
          grows |= all.addAll(needs.get(k));
        } else if (needs.get(k).stream().anyMatch(all::contains)) {
          grows |= all.add(k);
        }
      }
    }
    return all;
  }

  private static Body body(Lambda op, List<Integer> results) {
    return new Body(op.body().stms(), Lists.pick(op.body().results(), results));
  }

  /** Returns the operator on some of its components, which need no others. */
  public static Lambda only(Lambda op, List<Integer> component) {
    int n = op.returns().size();
    if (component.size() == n) {
      return op;
    }
    var params = new ArrayList<Var>();
    component.forEach(k -> params.add(op.params().get(k)));
    component.forEach(k -> params.add(op.params().get(n + k)));
    var body = new DeadCode().body(body(op, component));
    return new Renaming().lambda(new Lambda(params, body, Lists.pick(op.returns(), component)));
  }
}
