package dev.kenaz.distribute;

import dev.kenaz.analysis.BackwardSlice;
import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Brings reductions of other rows to the outside of the function of a row. */
final class RowFunction {
  private RowFunction() {}

  /**
   * Returns the function with a map over other rows computed again wherever its results are used,
   * so that no row needs an array as long as all rows: {@code let ds = map f ys in reduce g (map (h
   * (minimum ds)) ds)}.
   */
  static Optional<Lambda> recomputed(Spaces spaces, Lambda map) {
    var stms = map.body().stms();
    for (int k = 0; k < stms.size(); k++) {
      var stm = stms.get(k);
      if (!(stm.exp() instanceof Screma s) || !spaces.has(s.width()) || !s.scans().isEmpty()) {
        continue;
      }
      var made = stm.pattern().subList(s.reduceWidth(), stm.pattern().size());
      var later = stms.subList(k + 1, stms.size());
      if (!made.isEmpty()
          && !Effects.observable(s)
          && map.body().results().stream().noneMatch(made::contains)
          && later.stream().allMatch(x -> takesAsInput(x, s.width(), made))) {
        var all = new ArrayList<>(stms.subList(0, k));
        if (s.reduceWidth() > 0) {
          all.add(reducing(stm, s));
        }
        later.forEach(x -> all.add(composed(x, made, s)));
        return Optional.of(new Lambda(map.params(), map.body().with(all), map.returns()));
      }
    }
    return Optional.empty();
  }

  /** Returns the statement without what it maps. */
  private static Stm reducing(Stm stm, Screma s) {
    int n = s.reduceWidth();
    var results = s.map().body().results().subList(0, n);
    var map =
        new Lambda(
            s.map().params(),
            new Body(s.map().body().stms(), results),
            s.map().returns().subList(0, n));
    var exp = new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
    return new Stm(stm.pattern().subList(0, n), exp, stm.attrs(), stm.span());
  }

  /** Whether the statement uses what another one makes only as inputs of its own, if at all. */
  private static boolean takesAsInput(Stm stm, Atom width, List<Var> made) {
    if (!uses(FreeVars.of(stm), made)) {
      return true;
    }
    return stm.exp() instanceof Screma s
        && s.width().equals(width)
        && !uses(FreeVars.of(s.map()), made)
        && s.reduces().stream().noneMatch(r -> uses(FreeVars.of(r.op()), made));
  }

  private static boolean uses(Set<Var> used, List<Var> made) {
    return made.stream().anyMatch(used::contains);
  }

  private static Stm composed(Stm stm, List<Var> made, Screma exp) {
    if (!uses(FreeVars.of(stm), made)) {
      return stm;
    }
    var s = (Screma) stm.exp();
    var first = new Renaming().lambda(exp.map());
    var inputs = new ArrayList<>(exp.inputs());
    var params = new ArrayList<>(first.params());
    for (int i = 0; i < s.inputs().size(); i++) {
      if (!made.contains(s.inputs().get(i))) {
        inputs.add(s.inputs().get(i));
        params.add(s.map().params().get(i));
      }
    }
    var both =
        new Builder(stm.span())
            .lambdaOf(
                params,
                (in, _) -> {
                  var rows = in.inline(first.body());
                  for (int i = 0; i < s.inputs().size(); i++) {
                    int at = made.indexOf(s.inputs().get(i));
                    if (at >= 0) {
                      var row = rows.get(exp.reduceWidth() + at);
                      in.bindAll(List.of(s.map().params().get(i)), new Alias(row));
                    }
                  }
                  return in.inline(s.map().body());
                });
    return stm.with(new Screma(s.width(), inputs, s.scans(), s.reduces(), both));
  }

  /**
   * Returns the function with a reduction of other rows, and what it needs, computed before the
   * branch that it is in: also for rows for which the branch isn't taken, if that does no harm.
   */
  static Optional<Lambda> outOfBranch(Lambda map, Predicate<Stm> reduces) {
    return outOfBranch(map.body(), reduces)
        .map(body -> new Lambda(map.params(), body, map.returns()));
  }

  private static Optional<Body> outOfBranch(Body body, Predicate<Stm> reduces) {
    var stms = body.stms();
    for (int k = 0; k < stms.size(); k++) {
      if (stms.get(k).exp() instanceof If(var condition, var then, var otherwise)) {
        var before = new ArrayList<Stm>();
        var taken = without(outOfBranch(then, reduces).orElse(then), reduces, before);
        var not = without(outOfBranch(otherwise, reduces).orElse(otherwise), reduces, before);
        if (!before.isEmpty()) {
          var all = new ArrayList<>(stms.subList(0, k));
          all.addAll(before);
          all.add(stms.get(k).with(new If(condition, taken, not)));
          all.addAll(stms.subList(k + 1, stms.size()));
          return Optional.of(body.with(all));
        }
      }
    }
    return Optional.empty();
  }

  /** Moves a reduction, and what it needs, out of a branch. */
  private static Body without(Body branch, Predicate<Stm> reduces, List<Stm> before) {
    var stms = branch.stms();
    for (int k = 0; k < stms.size(); k++) {
      if (reduces.test(stms.get(k))) {
        List<Atom> results = List.copyOf(stms.get(k).pattern());
        var slice = BackwardSlice.of(stms.subList(0, k + 1), results).stms();
        if (slice.stream().map(Stm::exp).allMatch(RowFunction::isSafe)) {
          before.addAll(slice);
          return branch.with(stms.stream().filter(s -> !slice.contains(s)).toList());
        }
      }
    }
    return branch;
  }

  /** Whether it does no harm where the program would not compute it. */
  private static boolean isSafe(Exp exp) {
    return Effects.safeScalar(exp)
        || exp instanceof Alias
        || (exp instanceof If || exp instanceof Screma)
            && Effects.bodies(exp)
                .allMatch(b -> b.stms().stream().map(Stm::exp).allMatch(RowFunction::isSafe));
  }
}
