package dev.kenaz.ad;

import dev.kenaz.analysis.Affine;
import dev.kenaz.analysis.Inequalities;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.DimSlice;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Finds the false dependencies of a loop nest that updates an array in place (001 §6.2): which of
 * its reads may read an element that the nest overwrites later. What other reads got the array
 * still has when the nest is done. Two writes to one element do no harm by themselves.
 *
 * <p>A read and a write at iterations r and w of the loops that they share conflict if r comes
 * before w and all their subscripts agree, for indices in the loops' ranges, under the conditions
 * of the branches that they are in, and with subscripts inside the array. Subscripts are affine
 * forms of loop indices, of parameters that change by a constant, and of other variables, of which
 * nothing is known; r comes before w at the outermost loop whose index differs, or in the body's
 * order. Each of these cases is a system of {@link Inequalities}: if it is refuted there is no
 * conflict. That covers Banerjee's and the GCD test, also for triangular loops.
 */
final class Dependences {
  /** If there are more pairs of a read and a write, everything is taken to conflict. */
  private static final int MOST_PAIRS = 2000;

  private static final long MOST_STRIDE = 1 << 10;

  /** The depth of a variable that two accesses never share; it is deeper than all loops. */
  private static final int OWN = Integer.MAX_VALUE;

  private final AffineForms forms;
  private final Set<Var> chain;
  private final Map<Var, Integer> depths = new HashMap<>();
  private final List<Access> accesses = new ArrayList<>();

  private Dependences(AffineForms forms, Set<Var> chain) {
    this.forms = forms;
    this.chain = chain;
  }

  /** One branch of an If that is in {@code depth} of the loops. */
  private record Side(If exp, boolean then, int depth) {}

  /**
   * The loops and branches around an access.
   *
   * @param loops the indices of the loops around it, or what counts their iterations
   * @param guards forms that aren't negative there
   */
  private record Scope(List<Var> loops, List<Side> sides, List<Affine> guards) {
    Scope in(Var index) {
      return new Scope(Lists.with(loops, index), sides, guards);
    }

    Scope in(Side side, List<Affine> more) {
      var all = Lists.concat(guards, more);
      return new Scope(loops, Lists.with(sides, side), all);
    }
  }

  /**
   * One read or write of the array.
   *
   * @param stm the statement of the nest that it is in
   * @param order its place in the body's order
   * @param subscripts those of outer dimensions; others are accessed as a whole
   * @param inside forms that aren't negative because the place is in the array
   */
  private record Access(
      Stm stm,
      int order,
      boolean write,
      List<Affine> subscripts,
      List<Affine> inside,
      Scope scope) {}

  /**
   * Returns the statements that read what may be overwritten later.
   *
   * @param chain the variables that the array goes through in the loop
   */
  static Set<Stm> lostReads(AffineForms forms, Loop loop, Set<Var> chain) {
    var self = new Dependences(forms, chain);
    self.loop(loop, new Scope(List.of(), List.of(), List.of()));
    return self.lost();
  }

  // Accesses

  private void loop(Loop loop, Scope scope) {
    int depth = scope.loops().size() + 1;
    Var counter;
    switch (loop.form()) {
      case For(var i, var bound) -> {
        forms.range(i, bound);
        counter = i;
      }
      case While _ -> {
        counter = Names.fresh("t", Type.I64);
        forms.counts(counter);
      }
    }
    depths.put(counter, depth);
    loop.params().forEach(p -> depths.put(p.var(), depth));
    body(loop.body(), scope.in(counter));
    for (int k = 0; k < loop.params().size(); k++) {
      induction(loop.params().get(k), loop.body().results().get(k), counter);
    }
  }

  /** Notes a parameter that grows by a constant. */
  private void induction(LoopParam p, Atom result, Var counter) {
    if (p.var().type().isScalar() && p.var().type().elemPrim().isInteger()) {
      var self = Affine.of(p.var());
      try {
        var step = forms.form(result).minus(self);
        var at = forms.form(p.init()).plus(Affine.of(counter), step.constant());
        if (step.isConstant() && forms.fits(at, p.var())) {
          forms.isZero(p.var(), self.minus(at));
        }
      } catch (ArithmeticException tooLarge) {
        // nothing is known of the parameter then
      }
    }
  }

  private void body(Body body, Scope scope) {
    for (var stm : body.stms()) {
      forms.define(stm);
      stm.pattern().forEach(v -> depths.put(v, scope.loops().size()));
      switch (stm.exp()) {
        case Alias _ -> {}
        case Update u when chain.contains(u.array()) ->
            access(stm, true, u.array(), u.slice(), scope);
        case If(var c, var then, var otherwise) -> {
          var e = (If) stm.exp();
          int depth = scope.loops().size();
          body(then, scope.in(new Side(e, true, depth), forms.where(c, true)));
          body(otherwise, scope.in(new Side(e, false, depth), forms.where(c, false)));
        }
        case Loop loop -> loop(loop, scope);
        default -> read(stm, scope);
      }
    }
  }

  /** Notes reads by a statement other than a branch or a loop, anywhere in its functions. */
  private void read(Stm stm, Scope scope) {
    new Rewriter() {
      @Override
      public List<Stm> stm(Stm at) {
        forms.define(at);
        switch (at.exp()) {
          case Index(var a, var is, _) when chain.contains(a) ->
              access(stm, false, a, is.stream().<DimSlice>map(DimSlice.Fix::new).toList(), scope);
          case Slice(var a, var slice, _) when chain.contains(a) ->
              access(stm, false, a, slice, scope);
          default -> {
            return Rewriter.super.stm(at);
          }
        }
        at.pattern().forEach(this::binder);
        return List.of(at);
      }

      @Override
      public Exp exp(Exp exp) {
        switch (exp) {
          case Screma s -> forms.iotas(s.inputs(), s.map().params());
          case Loop(_, For(var i, var bound), _) -> forms.range(i, bound);
          default -> {}
        }
        return Rewriter.super.exp(exp);
      }

      @Override
      public Atom atom(Atom atom) {
        if (atom instanceof Var a && chain.contains(a)) {
          access(stm, false, a, List.of(), scope);
        }
        return atom;
      }

      @Override
      public Var binder(Var v) {
        depths.put(v, OWN);
        return v;
      }
    }.stm(stm);
    stm.pattern().forEach(v -> depths.put(v, scope.loops().size()));
  }

  private void access(Stm stm, boolean write, Var array, List<DimSlice> slice, Scope scope) {
    var subscripts = new ArrayList<Affine>();
    var inside = new ArrayList<Affine>();
    var dims = array.type().dims();
    for (int d = 0; d < slice.size(); d++) {
      var at = subscript(slice.get(d));
      subscripts.add(at);
      inside.add(at);
      try {
        inside.add(forms.form(dims.get(d)).minus(at).plus(-1));
      } catch (ArithmeticException tooLarge) {
        // nothing more is known of the place then
      }
    }
    accesses.add(new Access(stm, accesses.size(), write, subscripts, inside, scope));
  }

  private Affine subscript(DimSlice slice) {
    return switch (slice) {
      case DimSlice.Fix(var i) -> forms.form(i);
      case DimSlice.Range(var start, var count, var stride) -> {
        var at = Names.fresh("at", Type.I64);
        depths.put(at, OWN);
        if (!(stride instanceof Const(var c))
            || c.asLong() > MOST_STRIDE
            || c.asLong() < -MOST_STRIDE) {
          yield Affine.of(at);
        }
        forms.range(at, count);
        // the place is inside the array, where nothing wraps around
        yield forms.form(start).plus(Affine.of(at), c.asLong());
      }
    };
  }

  // Conflicts

  private Set<Stm> lost() {
    var writes = accesses.stream().filter(Access::write).toList();
    var reads = accesses.stream().filter(a -> !a.write()).toList();
    Set<Stm> lost = Collections.newSetFromMap(new IdentityHashMap<>());
    for (var r : reads) {
      if (!lost.contains(r.stm())
          && ((long) reads.size() * writes.size() > MOST_PAIRS
              || writes.stream().anyMatch(w -> mayConflict(r, w)))) {
        lost.add(r.stm());
      }
    }
    return lost;
  }

  /** Whether what the one access reads may be written later by the other. */
  private boolean mayConflict(Access r, Access w) {
    int shared = 0;
    var here = r.scope().loops();
    var there = w.scope().loops();
    while (shared < here.size()
        && shared < there.size()
        && here.get(shared).equals(there.get(shared))) {
      shared++;
    }
    for (int same = 0; same < shared; same++) {
      if (mayConflict(r, w, same, Optional.of(here.get(same)))) {
        return true;
      }
    }
    return r.order() < w.order() && mayConflict(r, w, shared, Optional.empty());
  }

  /**
   * Whether the accesses may conflict in this order of iterations.
   *
   * @param same the number of loops around both in which the iteration is the same
   * @param later the index of the next loop, which is larger at the write
   */
  private boolean mayConflict(Access r, Access w, int same, Optional<Var> later) {
    if (areInDifferentBranches(r, w, same)) {
      return false;
    }
    var names = new HashMap<Var, Var>();
    UnaryOperator<Var> there =
        v -> depths.getOrDefault(v, 0) <= same ? v : names.computeIfAbsent(v, Names::like);
    try {
      var system = new Inequalities();
      for (int d = 0; d < Math.min(r.subscripts().size(), w.subscripts().size()); d++) {
        system.equal(r.subscripts().get(d).minus(w.subscripts().get(d).renamed(there)));
      }
      if (later.isPresent()) {
        var now = Affine.of(later.get());
        system.notNegative(now.renamed(there).minus(now).plus(-1));
      }
      facts(r, system, v -> v);
      facts(w, system, there);
      return !system.areRefuted();
    } catch (ArithmeticException tooLarge) {
      return true;
    }
  }

  private static boolean areInDifferentBranches(Access r, Access w, int same) {
    for (var x : r.scope().sides()) {
      for (var y : w.scope().sides()) {
        if (x.exp() == y.exp() && x.then() != y.then() && x.depth() <= same) {
          return true;
        }
      }
    }
    return false;
  }

  /** Adds what is known where an access happens to the system. */
  private void facts(Access a, Inequalities system, UnaryOperator<Var> names) {
    var open = new ArrayDeque<Var>();
    open.addAll(a.scope().loops());
    var known = new ArrayList<>(a.inside());
    known.addAll(a.scope().guards());
    known.forEach(f -> open.addAll(f.terms().keySet()));
    a.subscripts().forEach(f -> open.addAll(f.terms().keySet()));
    known.forEach(f -> system.notNegative(f.renamed(names)));
    var seen = new HashSet<Var>();
    while (!open.isEmpty()) {
      var v = open.removeLast();
      if (seen.add(v)) {
        for (var f : forms.inequalities(v)) {
          system.notNegative(f.renamed(names));
          open.addAll(f.terms().keySet());
        }
        for (var f : forms.zero(v)) {
          system.equal(f.renamed(names));
          open.addAll(f.terms().keySet());
        }
      }
    }
  }
}
