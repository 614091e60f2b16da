package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.Copy;
import dev.kenaz.ir.Exp.If;
import dev.kenaz.ir.Exp.Reshape;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Renaming;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Differentiates branches (001 §4.2, 004 REVIF): the return sweep of {@code y = if c then s else t}
 * is {@code if c then the return sweep of s else that of t}. Each first executes its branch again,
 * and returns the adjoints of the free variables that either of the two adds to.
 */
final class ReverseIf {
  private ReverseIf() {}

  static void emit(Reverse r, Sweep s, List<Var> pattern, If e) {
    emit(r, s, pattern, e, BranchReads.NONE);
  }

  static void emit(Reverse r, Sweep s, List<Var> pattern, If e, BranchReads reads) {
    if (pattern.stream().allMatch(s::isZero)) {
      return;
    }
    var seeds = pattern.stream().map(s::take).toList();
    var names = new LinkedHashSet<>(FreeVars.of(e.then()));
    names.addAll(FreeVars.of(e.otherwise()));
    var free = r.activity.among(names);
    var then = branch(r, s, e.then(), reads, seeds, free);
    var otherwise = branch(r, s, e.otherwise(), reads, seeds, free);
    join(s, e.condition(), free, then, otherwise);
  }

  /**
   * Joins two return sweeps, of which one runs: sets the adjoints of these variables afterwards.
   */
  static void join(Sweep s, Atom condition, List<Var> free, Sweep then, Sweep otherwise) {
    var changed = new ArrayList<Var>();
    for (var v : free) {
      if (v.type() instanceof Type.Acc && !then.isZero(v)) {
        // this is an accumulator of the program: its adjoint is handed up unchanged
        s.set(v, then.get(v));
      } else if (different(s, then, v) || different(s, otherwise, v)) {
        changed.add(v);
      }
    }
    if (changed.isEmpty()) {
      return;
    }
    var results1 = results(then, changed);
    var results2 = results(otherwise, changed);
    separate(then, results1, otherwise, results2);
    var exp = new If(condition, then.b.body(results1), otherwise.b.body(results2));
    var types = exp.then().results().stream().map(Atom::type).toList();
    var results = s.b.bindAll("adj", types, exp);
    for (int i = 0; i < changed.size(); i++) {
      s.set(changed.get(i), replaced(s.get(changed.get(i)), results.get(i)));
    }
  }

  /** Returns the adjoint in the form that it had, now in this variable. */
  static Adjoint replaced(Adjoint old, Var now) {
    return old instanceof Adjoint.Accumulator
        ? new Adjoint.Accumulator(now)
        : new Adjoint.Value(now, true);
  }

  private static boolean different(Sweep outer, Sweep inner, Var v) {
    var before = outer.get(v);
    var after = inner.get(v);
    return after != null && !after.equals(before) && !sameValue(before, after);
  }

  private static boolean sameValue(Adjoint before, Adjoint after) {
    return before instanceof Adjoint.Value(var x, _)
        && after instanceof Adjoint.Value(var y, _)
        && x.equals(y);
  }

  private static Sweep branch(
      Reverse r, Sweep s, Body body, BranchReads reads, List<Adjoint> seeds, List<Var> free) {
    var inner = s.inner();
    var renaming = new Renaming();
    var copy = renaming.body(body);
    r.again().putElements(reads.under(renaming::atom));
    r.again().renamed(body, renaming);
    var back = r.forward(inner.b, copy);
    for (var v : free) {
      if (!s.isZero(v)) {
        inner.set(v, s.get(v));
      }
    }
    for (int i = 0; i < seeds.size(); i++) {
      if (seeds.get(i) != null) {
        inner.add(copy.results().get(i), fitted(inner, seeds.get(i), copy.results().get(i)));
      }
    }
    back.emit(inner);
    return inner;
  }

  /**
   * The adjoint with the sizes that the branch knows: where the If decides a size, the branch's own
   * variable names it.
   */
  private static Adjoint fitted(Sweep s, Adjoint seed, Atom result) {
    if (seed instanceof Adjoint.Value(Var array, _)
        && array.type() instanceof Type.Array a
        && !a.shape().equals(result.type().dims())) {
      return new Adjoint.Value(s.b.bind("fit", new Reshape(result.type().dims(), array)), false);
    }
    return seed;
  }

  /** Copies an array from outside that would become different results in the two branches. */
  private static void separate(Sweep then, List<Atom> here, Sweep otherwise, List<Atom> there) {
    var aliases1 = Aliases.of(then.b.stms());
    var aliases2 = Aliases.of(otherwise.b.stms());
    for (int j = 0; j < there.size(); j++) {
      var roots = aliases2.rootsOf(there.get(j));
      for (int i = 0; i < here.size(); i++) {
        if (i != j && aliases1.rootsOf(here.get(i)).stream().anyMatch(roots::contains)) {
          there.set(j, otherwise.b.bind("own", new Copy((Var) there.get(j))));
          break;
        }
      }
    }
  }

  private static List<Atom> results(Sweep inner, List<Var> changed) {
    // two results must not be one array
    var seen = new LinkedHashSet<Atom>();
    var results = new ArrayList<Atom>();
    for (var v : changed) {
      var x = inner.result(v);
      boolean twice = !seen.add(x) && x.type().isArray();
      results.add(twice ? inner.b.bind("own", new Copy((Var) x)) : x);
    }
    return results;
  }
}
