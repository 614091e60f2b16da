package dev.kenaz.fuse;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds which variables of a function's body may depend on its parameters, those of inner scopes
 * included. Results of one operator or loop are told apart, as forward derivatives compute values
 * and tangents side by side. What can be noticed, or goes through accumulators, is taken to vary.
 */
final class Varying {
  private final Set<Var> varying;

  private Varying(Collection<Var> params) {
    varying = new HashSet<>(params);
  }

  /** Returns the variables that vary with the function's parameters, and these parameters. */
  static Set<Var> in(Lambda f) {
    var walk = new Varying(f.params());
    walk.body(f.body());
    return walk.varying;
  }

  private void body(Body body) {
    body.stms().forEach(this::stm);
  }

  private void stm(Stm stm) {
    if (Effects.observable(stm.exp()) || touchesAccumulators(stm)) {
      everything(stm);
      return;
    }
    switch (stm.exp()) {
      case Screma s -> screma(stm.pattern(), s);
      case Loop l -> loop(stm.pattern(), l);
      case If(var c, var then, var otherwise) -> {
        body(then);
        body(otherwise);
        for (int i = 0; i < stm.pattern().size(); i++) {
          var ends = List.of(c, then.results().get(i), otherwise.results().get(i));
          markIf(anyOf(ends), List.of(stm.pattern().get(i)));
        }
      }
      default -> {
        if (anyOf(FreeVars.of(stm.exp()))) {
          everything(stm);
        }
      }
    }
    stm.pattern().stream().filter(v -> anyOf(FreeVars.of(v.type()))).forEach(varying::add);
  }

  private void screma(List<Var> pattern, Screma s) {
    boolean width = anyOf(List.of(s.width()));
    for (int i = 0; i < s.inputs().size(); i++) {
      markIf(width || anyOf(s.inputs().subList(i, i + 1)), s.map().params().subList(i, i + 1));
    }
    body(s.map().body());
    var results = s.map().body().results();
    int at = 0;
    for (var scan : s.scans()) {
      at = component(pattern, results, at, width, scan.op(), scan.neutral());
    }
    for (var reduce : s.reduces()) {
      at = component(pattern, results, at, width, reduce.op(), reduce.neutral());
    }
    for (; at < pattern.size(); at++) {
      markIf(width || anyOf(results.subList(at, at + 1)), pattern.subList(at, at + 1));
    }
  }

  /** Treats one scan or reduction, whose results all depend on all of its operands. */
  private int component(
      List<Var> pattern, List<Atom> results, int at, boolean width, Lambda op, List<Atom> neutral) {
    int end = at + neutral.size();
    boolean any = width || anyOf(results.subList(at, end)) || anyOf(neutral);
    markIf(any || anyOf(FreeVars.of(op)), pattern.subList(at, end));
    return end;
  }

  private void loop(List<Var> pattern, Loop l) {
    for (var p : l.params()) {
      markIf(anyOf(List.of(p.init())), List.of(p.var()));
    }
    int before;
    do {
      before = varying.size();
      body(l.body());
      boolean count =
          switch (l.form()) {
            case For(_, var bound) -> anyOf(List.of(bound));
            case While(var condition) -> anyOf(List.of(condition));
          };
      for (int i = 0; i < pattern.size(); i++) {
        boolean varies = count || anyOf(l.body().results().subList(i, i + 1));
        markIf(varies, List.of(l.params().get(i).var()));
      }
    } while (varying.size() > before);
    for (int i = 0; i < pattern.size(); i++) {
      markIf(varying.contains(l.params().get(i).var()), List.of(pattern.get(i)));
    }
  }

  private void everything(Stm stm) {
    varying.addAll(stm.pattern());
    Effects.bodies(stm.exp()).forEach(this::everythingIn);
  }

  private void everythingIn(Body body) {
    body.stms().forEach(this::everything);
  }

  private static boolean touchesAccumulators(Stm stm) {
    return stm.pattern().stream().anyMatch(v -> v.type() instanceof Type.Acc)
        || FreeVars.of(stm.exp()).stream().anyMatch(v -> v.type() instanceof Type.Acc)
        || stm.exp() instanceof Exp.WithAcc;
  }

  private boolean anyOf(Collection<? extends Atom> atoms) {
    return atoms.stream().anyMatch(a -> a instanceof Var v && varies(v));
  }

  private boolean varies(Var v) {
    return varying.contains(v)
        || v.type() instanceof Type.Array a && a.shape().stream().anyMatch(varying::contains);
  }

  private void markIf(boolean varies, List<Var> vars) {
    if (varies) {
      varying.addAll(vars);
    }
  }
}
