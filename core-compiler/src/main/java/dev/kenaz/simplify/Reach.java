package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.FreeVars;
import dev.kenaz.ir.Lambda;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds what some results of a body that is run again and again depend on, over all its runs; it
 * follows loops, branches and maps within the body result by result.
 */
public final class Reach {
  private final Map<Var, Stm> makers = new HashMap<>();

  /** What parameters of loops and results of loops and branches are made of. */
  private final Map<Var, List<Atom>> sources = new HashMap<>();

  private final Set<Var> seen = new HashSet<>();
  private final List<Var> work = new ArrayList<>();

  private Reach() {}

  /**
   * Returns the variables that the roots and the body's effects depend on.
   *
   * @param next for a parameter, the result that becomes its value in a later run
   */
  public static Set<Var> of(Body body, Map<Var, Atom> next, List<? extends Atom> roots) {
    var reach = new Reach();
    next.forEach((p, x) -> reach.sources.put(p, List.of(x)));
    reach.enter(body, List.of());
    reach.addAll(roots);
    reach.close();
    return reach.seen;
  }

  /**
   * Enters a body.
   *
   * @param control what decides whether the body is run
   */
  private void enter(Body body, List<Atom> control) {
    for (var stm : body.stms()) {
      switch (stm.exp()) {
        case If(var c, var then, var otherwise) -> {
          for (int k = 0; k < stm.pattern().size(); k++) {
            var results = List.of(c, then.results().get(k), otherwise.results().get(k));
            sources.put(stm.pattern().get(k), results);
          }
          enter(then, Lists.with(control, c));
          enter(otherwise, Lists.with(control, c));
        }
        case Loop loop -> enter(stm, loop, control);
        case Screma s when operators(s).noneMatch(o -> Effects.observable(o.body())) ->
            enter(stm, s, control);
        default -> {
          stm.pattern().forEach(v -> makers.put(v, stm));
          if (Effects.observable(stm.exp())) {
            work.addAll(FreeVars.of(stm));
            addAll(control);
          }
        }
      }
    }
  }

  private void enter(Stm stm, Loop loop, List<Atom> control) {
    var length =
        switch (loop.form()) {
          case For(_, var bound) -> bound;
          case While(var c) -> c;
        };
    for (int k = 0; k < stm.pattern().size(); k++) {
      var p = loop.params().get(k);
      sources.put(stm.pattern().get(k), List.of(p.var(), length));
      sources.put(p.var(), List.of(p.init(), loop.body().results().get(k)));
    }
    enter(loop.body(), Lists.with(control, length));
  }

  private static Stream<Lambda> operators(Screma s) {
    return Stream.concat(s.scans().stream().map(Scan::op), s.reduces().stream().map(Reduce::op));
  }

  /** The results of one scan or reduction depend on all of its operands. */
  private void enter(Stm stm, Screma s, List<Atom> control) {
    for (int k = 0; k < s.inputs().size(); k++) {
      sources.put(s.map().params().get(k), List.of(s.inputs().get(k)));
    }
    enter(s.map().body(), Lists.with(control, s.width()));
    var operands = s.map().body().results();
    int at = 0;
    for (var scan : s.scans()) {
      at = component(stm, operands, at, scan.neutral(), scan.op(), s.width());
    }
    for (var reduce : s.reduces()) {
      at = component(stm, operands, at, reduce.neutral(), reduce.op(), s.width());
    }
    for (; at < operands.size(); at++) {
      sources.put(stm.pattern().get(at), List.of(operands.get(at), s.width()));
    }
  }

  private int component(
      Stm stm, List<Atom> operands, int at, List<Atom> neutral, Lambda op, Atom width) {
    int end = at + neutral.size();
    List<Atom> all =
        Lists.concat(operands.subList(at, end), neutral, FreeVars.of(op), List.of(width));
    stm.pattern().subList(at, end).forEach(v -> sources.put(v, all));
    return end;
  }

  private void addAll(List<? extends Atom> atoms) {
    for (var x : atoms) {
      if (x instanceof Var v) {
        work.add(v);
      }
    }
  }

  private void close() {
    Set<Stm> done = Collections.newSetFromMap(new IdentityHashMap<>());
    while (!work.isEmpty()) {
      var v = work.removeLast();
      if (!seen.add(v)) {
        continue;
      }
      work.addAll(FreeVars.of(v.type()));
      addAll(sources.getOrDefault(v, List.of()));
      var maker = makers.get(v);
      if (maker != null && done.add(maker)) {
        work.addAll(FreeVars.of(maker));
      }
    }
  }
}
