package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Finds operators on tuples that are several operators side by side, such as a sum beside a
 * maximum, so that each gets the rule that is best for it: if {@code (a, b) ⊙ (c, d) = (a ⊙₁ c, b
 * ⊙₂ d)}, then {@code reduce ⊙} is {@code reduce ⊙₁} beside {@code reduce ⊙₂}. The papers do not
 * have this rule.
 */
final class Components {
  private Components() {}

  /**
   * A part of an operator.
   *
   * @param positions the components of the tuple that the part combines, ascending
   */
  record Part(List<Integer> positions, Lambda op) {
    <T> List<T> of(List<T> all) {
      return positions.stream().map(all::get).toList();
    }
  }

  /**
   * The parts, in the order of their first components; an operator that can't be divided is one
   * part.
   */
  static List<Part> of(Lambda op) {
    int k = op.returns().size();
    var classes = new ArrayList<Set<Integer>>();
    for (int i = 0; i < k; i++) {
      var mine = new HashSet<Integer>(Set.of(i));
      var needed = needed(op.body(), op.body().results().get(i));
      for (int j = 0; j < k; j++) {
        if (needed.contains(op.params().get(j)) || needed.contains(op.params().get(k + j))) {
          mine.add(j);
        }
      }
      for (var other : List.copyOf(classes)) {
        if (other.stream().anyMatch(mine::contains)) {
          classes.remove(other);
          mine.addAll(other);
        }
      }
      classes.add(mine);
    }
    boolean checks = op.body().stms().stream().anyMatch(s -> s.pattern().isEmpty());
    if (classes.size() == 1 || checks) {
      return List.of(new Part(IntStream.range(0, k).boxed().toList(), op));
    }
    var parts = new ArrayList<Part>();
    for (var c : classes) {
      var positions = c.stream().sorted().toList();
      parts.add(new Part(positions, slice(op, positions)));
    }
    parts.sort((x, y) -> Integer.compare(x.positions().getFirst(), y.positions().getFirst()));
    return parts;
  }

  /** All variables that a result depends on. */
  static Set<Var> needed(Body body, Atom result) {
    var needed = new HashSet<Var>();
    if (result instanceof Var v) {
      needed.add(v);
    }
    for (var stm : body.stms().reversed()) {
      if (stm.pattern().stream().anyMatch(needed::contains)) {
        needed.addAll(FreeVars.of(stm));
      }
    }
    return needed;
  }

  private static Lambda slice(Lambda op, List<Integer> positions) {
    int k = op.returns().size();
    var params = new ArrayList<Var>();
    positions.forEach(i -> params.add(op.params().get(i)));
    positions.forEach(i -> params.add(op.params().get(k + i)));
    var results = positions.stream().map(op.body().results()::get).toList();
    var needed = new HashSet<Var>();
    results.forEach(x -> needed.addAll(needed(op.body(), x)));
    var stms = new ArrayList<Stm>();
    for (var stm : op.body().stms()) {
      if (stm.pattern().stream().anyMatch(needed::contains)) {
        stms.add(stm);
      }
    }
    var returns = positions.stream().map(op.returns()::get).toList();
    return new Renaming().lambda(new Lambda(params, new Body(stms, results), returns));
  }
}
