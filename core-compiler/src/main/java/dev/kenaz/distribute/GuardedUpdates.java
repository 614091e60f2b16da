package dev.kenaz.distribute;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Alias;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Screma;
import dev.kenaz.ir.Exp.UpdateAcc;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings accumulations over other rows out of the branches of the function of a row:
 *
 * <pre>
 * if c then (let a = f x in map (\(y, acc) -&gt; acc[i] += g a y) (ys, acc)) else acc
 * </pre>
 *
 * computes {@code a} in the branch, and then maps over ys in any case; each application asks for
 * {@code c} before it adds something. {@link PairedUpdates} knows accumulations of this form.
 */
final class GuardedUpdates {
  private final Spaces spaces;

  private GuardedUpdates(Spaces spaces) {
    this.spaces = spaces;
  }

  /** Returns the function with its accumulations outside of branches, if it has some inside. */
  static Optional<Lambda> outOfBranches(Spaces spaces, Lambda map) {
    return new GuardedUpdates(spaces)
        .body(map.body())
        .map(b -> new Lambda(map.params(), b, map.returns()));
  }

  private Optional<Body> body(Body body) {
    var stms = new ArrayList<Stm>();
    boolean changed = false;
    for (var stm : body.stms()) {
      var apart = stm.exp() instanceof If branch ? apart(stm, branch) : Optional.<List<Stm>>empty();
      stms.addAll(apart.orElse(List.of(stm)));
      changed |= apart.isPresent();
    }
    return changed ? Optional.of(body.with(stms)) : Optional.empty();
  }

  /** Returns a branch without accumulators, and the accumulations, which are guarded. */
  private Optional<List<Stm>> apart(Stm stm, If branch) {
    var then = inside(branch.then());
    var otherwise = inside(branch.otherwise());
    if (stm.pattern().stream().noneMatch(GuardedUpdates::isAcc)
        || !overRows(then) && !overRows(otherwise)
        || !fits(then)
        || !fits(otherwise)) {
      return Optional.empty();
    }
    var handed = new ArrayList<>(handed(then));
    int fromThen = handed.size();
    handed.addAll(handed(otherwise));
    var b = new Builder(stm.span());
    var own = new ArrayList<Var>();
    for (var v : stm.pattern()) {
      if (!isAcc(v)) {
        own.add(v);
      }
    }
    var outside = handed.stream().map(Names::like).toList();
    own.addAll(outside);
    var ofThen = handed.subList(0, fromThen);
    var ofOther = handed.subList(fromThen, handed.size());
    var left =
        new If(
            branch.condition(),
            rest(then, ofThen, ofOther, true),
            rest(otherwise, ofOther, ofThen, false));
    b.with(stm.attrs()).bindAll(own, left);
    var known = new HashMap<Var, Atom>();
    for (int i = 0; i < handed.size(); i++) {
      known.put(handed.get(i), outside.get(i));
    }
    var current = new HashMap<Integer, Atom>();
    guarded(b, then, branch.condition(), known, current);
    guarded(b, otherwise, b.not(branch.condition()), known, current);
    for (int i = 0; i < stm.pattern().size(); i++) {
      var v = stm.pattern().get(i);
      if (v.type() instanceof Type.Acc acc) {
        var last = current.getOrDefault(acc.token(), then.results().get(i));
        b.bindAll(List.of(v), new Alias(last));
      }
    }
    return Optional.of(b.stms());
  }

  /**
   * A branch's own branches come first, and its arrays of rows are computed where they are used.
   */
  private Body inside(Body branch) {
    var inner = body(branch).orElse(branch);
    var types = inner.results().stream().map(Atom::type).toList();
    var map = new Lambda(List.of(), inner, types);
    for (var next = Optional.of(map); next.isPresent(); ) {
      map = next.get();
      next = RowFunction.recomputed(spaces, map);
    }
    return map.body();
  }

  private static boolean isAcc(Atom x) {
    return x.type() instanceof Type.Acc;
  }

  private static boolean accumulates(Stm stm) {
    return stm.pattern().stream().anyMatch(GuardedUpdates::isAcc);
  }

  private boolean overRows(Body branch) {
    return branch.stms().stream()
        .anyMatch(s -> accumulates(s) && s.exp() instanceof Screma m && spaces.has(m.width()));
  }

  /** Whether the accumulations need nothing of the branch that is as long as the rows. */
  private boolean fits(Body branch) {
    var bound = Stm.bound(branch.stms());
    return branch.stms().stream()
            .filter(GuardedUpdates::accumulates)
            .allMatch(
                s ->
                    s.pattern().stream().allMatch(GuardedUpdates::isAcc)
                        && (s.exp() instanceof Screma
                            || s.exp() instanceof UpdateAcc
                            || isGuard(s)))
        && handed(branch).stream()
            .allMatch(
                v ->
                    !spaces.inType(v.type()) && Collections.disjoint(FreeVars.of(v.type()), bound));
  }

  /** Whether it is what this class has made of a branch inside. */
  private static boolean isGuard(Stm stm) {
    return stm.exp() instanceof If || stm.exp() instanceof Alias;
  }

  /** Returns what the branch computes and its accumulations need. */
  private static List<Var> handed(Body branch) {
    var bound = Stm.bound(branch.stms());
    var used = new HashSet<Var>();
    branch.stms().stream()
        .filter(GuardedUpdates::accumulates)
        .forEach(s -> used.addAll(FreeVars.of(s)));
    return bound.stream().filter(v -> used.contains(v) && !isAcc(v)).toList();
  }

  /** Returns the branch without accumulators, and with what is handed out. */
  private static Body rest(Body branch, List<Var> handed, List<Var> others, boolean first) {
    var b = new Builder(branch.stms().isEmpty() ? Span.NONE : branch.stms().getFirst().span());
    branch.stms().stream().filter(s -> !accumulates(s)).forEach(b::add);
    var results = new ArrayList<Atom>(branch.results().stream().filter(r -> !isAcc(r)).toList());
    var nothing = others.stream().map(v -> b.zero(v.type())).toList();
    results.addAll(first ? handed : nothing);
    results.addAll(first ? nothing : handed);
    return b.body(results);
  }

  /**
   * Emits the accumulations of a branch, each of which adds only where the condition holds.
   *
   * @param known what the branch has handed out
   * @param current by tokens, the accumulators as they are before, and then as they are afterwards
   */
  private static void guarded(
      Builder b, Body branch, Atom condition, Map<Var, Atom> known, Map<Integer, Atom> current) {
    var same = new HashMap<>(known);
    for (var stm : branch.stms()) {
      if (!accumulates(stm)) {
        continue;
      }
      for (var v : FreeVars.of(stm)) {
        if (v.type() instanceof Type.Acc acc && !same.containsKey(v)) {
          same.put(v, current.getOrDefault(acc.token(), v));
        }
      }
      var exp = new Substitution(same).exp(stm.exp());
      var results =
          exp instanceof Screma s
              ? b.bindAll("acc", types(stm.pattern()), guarded(b, s, condition))
              : guarded(b, exp, stm.pattern(), condition);
      for (int i = 0; i < results.size(); i++) {
        same.put(stm.pattern().get(i), results.get(i));
        current.put(((Type.Acc) results.get(i).type()).token(), results.get(i));
      }
    }
  }

  private static List<Type> types(List<Var> pattern) {
    return pattern.stream().map(Var::type).toList();
  }

  private static Screma guarded(Builder b, Screma s, Atom condition) {
    var map =
        b.lambdaOf(
            s.map().params().stream().map(Names::like).toList(),
            (in, xs) ->
                in.ifThenElse(
                    condition,
                    s.map().returns(),
                    c -> c.inline(Renaming.call(s.map(), xs)),
                    _ -> s.map().returns().stream().map(t -> accumulator(t, xs)).toList()));
    return new Screma(s.width(), s.inputs(), s.scans(), s.reduces(), map);
  }

  private static List<Var> guarded(Builder b, Exp exp, List<Var> pattern, Atom condition) {
    var before = FreeVars.of(exp);
    return b.ifThenElse(
        condition,
        types(pattern),
        c -> c.bindAll(pattern.stream().map(Names::like).toList(), exp),
        _ -> pattern.stream().map(v -> accumulator(v.type(), before)).toList());
  }

  private static Var accumulator(Type type, Collection<Var> among) {
    return among.stream().filter(v -> v.type().equals(type)).findFirst().orElseThrow();
  }
}
