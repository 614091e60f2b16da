package dev.kenaz.distribute;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.error.Limitation;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Divides an operator along another dimension whose function needs a combined value, such as {@code
 * map (\c -> f64.sqrt (f64.sum c)) columns}, into two: a map that gives the pieces' shares of that
 * value, and the operator, which takes it combined. Both compute what comes before in the function
 * and is needed after, too.
 */
final class SplitMap {
  private final Labeller labeller;

  SplitMap(Labeller labeller) {
    this.labeller = labeller;
  }

  /**
   * Returns statements in the place of this one, which has no label as it stands; nothing if
   * splitting doesn't help.
   */
  Optional<List<Stm>> split(Stm stm) {
    if (!(stm.exp() instanceof Screma s)
        || labeller.spaces().has(s.width())
        || s.inputs().stream().anyMatch(in -> in.type() instanceof Type.Acc)
        || !Collections.disjoint(Aliases.of(stm).consumed(), FreeVars.of(stm))) {
      return Optional.empty();
    }
    var body = s.map().body();
    int failing = firstWithoutLabel(stm, s);
    if (failing < 0) {
      return Optional.empty();
    }
    var needed = shares(body, failing);
    if (!needed.isEmpty() && combineOutside(s.map(), needed)) {
      return Optional.of(inTwo(stm, s, body.stms().subList(0, failing), needed));
    }
    return failing == body.stms().size() || !needed.isEmpty()
        ? Optional.empty()
        : inner(body.stms().get(failing)).map(inner -> List.of(with(stm, s, failing, inner)));
  }

  /**
   * Returns statements in the place of one inside the function. A sum that starts from what the
   * function computes starts from zero there, as it does outside: so its share can be combined.
   */
  private Optional<List<Stm>> inner(Stm stm) {
    var parts = new NeutralStart(labeller).split(stm);
    return parts.size() > 1 ? Optional.of(parts) : split(stm);
  }

  /**
   * Returns the number of the function's first statement that has no label; the number of
   * statements if all have one; -1 if a parameter has none.
   */
  private int firstWithoutLabel(Stm stm, Screma s) {
    int at = -1;
    try {
      new OperatorLabels(labeller, stm, new LinearLabels(labeller, stm)).labelParams(s);
      for (var inner : s.map().body().stms()) {
        at++;
        labeller.stm(inner);
      }
      return at + 1;
    } catch (Limitation _) {
      return at;
    }
  }

  /**
   * Returns those variables that the first statements bind and the rest uses and that are the
   * pieces' shares, with all components of their tuples.
   */
  private Set<Var> shares(Body body, int failing) {
    var rest = new Body(body.stms().subList(failing, body.stms().size()), body.results());
    var used = FreeVars.of(rest);
    var needed = new LinkedHashSet<Var>();
    for (var stm : body.stms().subList(0, failing)) {
      var partial =
          stm.pattern().stream().filter(v -> labeller.of(v) instanceof Label.Partial).toList();
      if (partial.stream().anyMatch(used::contains)) {
        needed.addAll(partial);
      }
    }
    return needed;
  }

  /** Whether the shares can be combined without what the function computes. */
  private boolean combineOutside(Lambda map, Set<Var> shares) {
    var inside = new HashSet<>(map.params());
    map.body().stms().forEach(s -> inside.addAll(s.pattern()));
    return shares.stream()
        .map(v -> ((Label.Partial) labeller.of(v)).group().op())
        .allMatch(op -> Collections.disjoint(FreeVars.of(op), inside));
  }

  private static Stm with(Stm stm, Screma s, int at, List<Stm> inner) {
    var stms = new ArrayList<>(s.map().body().stms());
    stms.remove(at);
    stms.addAll(at, inner);
    var map =
        new Lambda(s.map().params(), new Body(stms, s.map().body().results()), s.map().returns());
    var exp = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
    return new Stm(stm.pattern(), exp, stm.attrs(), stm.span());
  }

  private static List<Stm> inTwo(Stm stm, Screma s, List<Stm> before, Set<Var> needed) {
    var shares = List.copyOf(needed);
    var types = shares.stream().map(Var::type).toList();
    var first = new Lambda(s.map().params(), sliced(before, shares), types);
    var combined =
        shares.stream().map(v -> Names.fresh(v.name(), v.type().under(s.width()))).toList();
    var one =
        new Screma(s.width(), s.inputs(), List.of(), List.of(), new Renaming().lambda(first))
            .withUsedInputs();

    var body = s.map().body();
    var again = new ArrayList<Stm>();
    for (var b : body.stms()) {
      var pattern = b.pattern().stream().map(v -> needed.contains(v) ? Names.like(v) : v).toList();
      again.add(new Stm(pattern, b.exp(), b.attrs(), b.span()));
    }
    var params = new ArrayList<>(s.map().params());
    params.addAll(shares);
    var inputs = new ArrayList<>(s.inputs());
    inputs.addAll(combined);
    var second = new Lambda(params, sliced(again, body.results()), s.map().returns());
    var two = new Screma(s.width(), inputs, s.scans(), s.reduces(), second).withUsedInputs();
    return List.of(
        new Stm(combined, one, stm.span()), new Stm(stm.pattern(), two, stm.attrs(), stm.span()));
  }

  /** Returns a body with those of the statements that the results need, and those that may fail. */
  private static Body sliced(List<Stm> stms, Collection<? extends Atom> results) {
    return new Body(BackwardSlice.withEffects(stms, results).stms(), List.copyOf(results));
  }
}
