package dev.kenaz.ad;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps arrays that a body updates in place alive for its return sweep: a statement that consumes an
 * array gets a copy of it, unless the array is made in this very body, nothing else refers to it,
 * and no return sweep reads it.
 *
 * <p>Where we differ from 001 §5.3, which undoes updates in the return sweep: reading one element,
 * or anything else whose derivative doesn't depend on the array's contents, needs nothing kept, so
 * that chains of updates stay in place without any saving.
 */
final class Consumption {
  private final Map<Var, Set<Var>> roots = new HashMap<>();
  private final Set<Var> fresh = new HashSet<>();
  private final Set<Var> needed = new HashSet<>();

  Consumption(Activity activity, Body body) {
    for (var stm : body.stms()) {
      var sources = aliased(stm.exp());
      for (var v : stm.pattern()) {
        var mine = new HashSet<Var>();
        if (v.type().isArray()) {
          sources.forEach(x -> mine.addAll(rootsOf(x)));
        }
        if (mine.isEmpty()) {
          fresh.add(v);
          mine.add(v);
        }
        roots.put(v, mine);
      }
      if (stm.pattern().stream().anyMatch(activity::active)) {
        kept(stm).forEach(v -> needed.addAll(rootsOf(v)));
      }
    }
    body.results().forEach(x -> needed.addAll(x instanceof Var v ? Set.of(v) : Set.of()));
  }

  private Set<Var> rootsOf(Var v) {
    return roots.getOrDefault(v, Set.of(v));
  }

  /** The statement on copies of what it consumes and others need. */
  Stm protect(Builder b, Stm stm) {
    var copies = new HashMap<Var, Atom>();
    for (var v : consumed(stm.exp())) {
      var own = rootsOf(v);
      if (!fresh.containsAll(own) || own.stream().anyMatch(needed::contains)) {
        copies.put(v, b.bind(v.name(), new Fresh(v)));
      }
    }
    if (copies.isEmpty()) {
      return stm;
    }
    var exp = new Substitution(copies).exp(stm.exp());
    return new Stm(stm.pattern(), exp, stm.attrs(), stm.span());
  }

  /** Arrays whose contents the statement's return sweep may read. */
  private static Set<Var> kept(Stm stm) {
    return switch (stm.exp()) {
      case Index _,
          Slice _,
          Update _,
          Replicate _,
          ArrayLit _,
          Concat _,
          Rearrange _,
          Reshape _,
          Fresh _,
          Copied _,
          Trace _,
          UpdateAcc _ ->
          Set.of();
      case Loop loop -> FreeVars.of(loop.body());
      case Screma s -> withResults(stm, !s.isMap());
      case Hist _ -> withResults(stm, true);
      case Scatter s -> {
        var free = new HashSet<>(FreeVars.of(s.map()));
        free.addAll(s.inputs());
        yield free;
      }
      default -> withResults(stm, false);
    };
  }

  private static Set<Var> withResults(Stm stm, boolean results) {
    var vars = new HashSet<>(FreeVars.of(stm.exp()));
    if (results) {
      vars.addAll(stm.pattern());
    }
    return vars;
  }

  /** What the results may share memory with. */
  private static Set<Var> aliased(Exp exp) {
    return switch (exp) {
      case Copied(var x) -> x instanceof Var v ? Set.of(v) : Set.of();
      case Trace(_, var x) -> x instanceof Var v ? Set.of(v) : Set.of();
      case Index(var a, _, _) -> Set.of(a);
      case Slice(var a, _, _) -> Set.of(a);
      case Rearrange(_, var a) -> Set.of(a);
      case Reshape(_, var a) -> Set.of(a);
      case If _, Loop _, WithVjp _ -> {
        var vars = new HashSet<Var>();
        for (var v : FreeVars.of(exp)) {
          if (v.type().isArray()) {
            vars.add(v);
          }
        }
        vars.removeAll(consumed(exp));
        yield vars;
      }
      default -> Set.of();
    };
  }

  /** The arrays from outside that the expression consumes. */
  static Set<Var> consumed(Exp exp) {
    var result = new HashSet<Var>();
    switch (exp) {
      case Update u -> result.add(u.array());
      case Hist h -> h.ops().forEach(o -> result.addAll(o.dests()));
      case Scatter s -> s.dests().forEach(d -> result.add(d.dest()));
      case WithAcc w -> {
        w.inputs().forEach(in -> result.addAll(in.arrays()));
        result.addAll(consumed(w.body().body()));
      }
      case If(_, var then, var otherwise) -> {
        result.addAll(consumed(then));
        result.addAll(consumed(otherwise));
      }
      case Loop loop -> {
        var inside = consumed(loop.body());
        for (var p : loop.params()) {
          if (inside.remove(p.var()) && p.init() instanceof Var v) {
            result.add(v);
          }
        }
        result.addAll(inside);
      }
      case Screma s -> result.addAll(consumed(s.map().body()));
      default -> {}
    }
    result.removeIf(v -> v.type() instanceof Type.Acc);
    return result;
  }

  /** What is consumed of a body's free variables, also through other names for them. */
  private static Set<Var> consumed(Body body) {
    var alias = new HashMap<Var, List<Var>>();
    var result = new HashSet<Var>();
    var bound = new HashSet<Var>();
    for (var stm : body.stms()) {
      bound.addAll(stm.pattern());
      for (var v : stm.pattern()) {
        if (v.type().isArray()) {
          var sources = new ArrayList<Var>();
          for (var x : aliased(stm.exp())) {
            sources.add(x);
            sources.addAll(alias.getOrDefault(x, List.of()));
          }
          alias.put(v, sources);
        }
      }
      for (var v : consumed(stm.exp())) {
        result.add(v);
        result.addAll(alias.getOrDefault(v, List.of()));
      }
    }
    result.removeAll(bound);
    return result;
  }
}
