package dev.kenaz.ad;

import dev.kenaz.analysis.Aliases;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps arrays that a body updates in place alive for its return sweep: a statement that consumes
 * an array gets a copy of it, unless the body itself makes the array, nothing else refers to it,
 * and no return sweep reads it.
 *
 * <p>Where we differ from 001 §5.3, which undoes updates in the return sweep: reading one element,
 * or anything else whose derivative doesn't depend on the array's contents, needs nothing kept, so
 * that chains of updates stay in place and nothing is saved.
 */
final class PreservedArrays {
  private final Aliases aliases = new Aliases();
  private final Set<Var> needed = new HashSet<>();

  /**
   * Decides what to copy in a body.
   *
   * @param own arrays from outside that the body may update in place
   * @param branches those that don't need again what they overwrite
   */
  PreservedArrays(Activity activity, Body body, Set<Var> own, Map<Stm, BranchReads> branches) {
    aliases.own(List.copyOf(own));
    body.stms().forEach(aliases::stm);
    for (var stm : body.stms()) {
      if (stm.pattern().stream().anyMatch(activity::active)) {
        var kept = new HashSet<>(kept(stm));
        if (branches.containsKey(stm)) {
          kept.removeAll(branches.get(stm).arrays());
        }
        kept.forEach(v -> needed.addAll(aliases.rootsOf(v)));
      }
    }
  }

  /**
   * Copies the rows and slices that return sweeps read, where the array that they are part of is
   * overwritten later on: otherwise that would have to be copied as a whole.
   *
   * @param again what isn't executed again, and so doesn't overwrite
   */
  static Body withOwnRows(Activity activity, Body body, Recompute again) {
    var aliases = Aliases.of(body);
    var read = new HashSet<Var>();
    for (var stm : body.stms()) {
      if (stm.pattern().stream().anyMatch(activity::active)) {
        read.addAll(kept(stm));
      }
    }
    var stms = new ArrayList<Stm>();
    for (var stm : body.stms()) {
      boolean part = stm.exp() instanceof Index || stm.exp() instanceof Slice;
      if (part
          && read.contains(stm.var())
          && FreeVars.of(stm.exp()).stream().noneMatch(again::isEnd)
          && aliases.isConsumed(stm.var())) {
        var view = Names.like(stm.var());
        if (activity.active(stm.var())) {
          activity.mark(view);
        }
        stms.add(stm.with(List.of(view), stm.exp()));
        stms.add(new Stm(stm.pattern(), new Copy(view), List.of(), stm.span()));
      } else {
        stms.add(stm);
      }
    }
    return new Body(stms, body.results());
  }

  /** The statement on copies of those operands that it consumes and others need. */
  Stm protect(Builder b, Stm stm) {
    var here = Aliases.of(stm);
    if (here.consumed().isEmpty()) {
      return stm;
    }
    var copies = new HashMap<Var, Atom>();
    for (var v : FreeVars.of(stm.exp())) {
      if (v.type().isArray() && here.consumed().contains(v)) {
        var roots = aliases.rootsOf(v);
        if (!aliases.isMadeHere(v) || roots.stream().anyMatch(needed::contains)) {
          copies.put(v, b.bind(v.name(), new Copy(v)));
        }
      }
    }
    if (copies.isEmpty()) {
      return stm;
    }
    var exp = new Substitution(copies).exp(stm.exp());
    return stm.with(exp);
  }

  /** Arrays whose contents the statement's return sweep may read. */
  private static Set<Var> kept(Stm stm) {
    return switch (stm.exp()) {
      case View _, Update _, Replicate _, ArrayLit _, Concat _, Copy _, UpdateAcc _ -> Set.of();
      case Loop loop -> {
        // the results count too: the return sweep undoes updates from there
        var vars = new HashSet<>(FreeVars.of(loop.body()));
        vars.addAll(stm.pattern());
        yield vars;
      }
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
}
