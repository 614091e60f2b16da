package dev.kenaz.simplify;

import dev.kenaz.error.Span;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Names;
import dev.kenaz.ir.Rewriter;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Substitution;
import dev.kenaz.ir.Var;
import dev.kenaz.ir.Views;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds which arrays code overwrites. Values that outlive it (a cached column, a broadcast array,
 * what a later kernel reads) must not be overwritten by it: {@link #protect} copies them first.
 */
public final class Overwrites implements Rewriter {
  private final Set<Var> consumed = new HashSet<>();
  private final Map<Var, List<Var>> aliases = new HashMap<>();

  private Overwrites() {}

  /** The body with copies of those variables that it overwrites. */
  public static Body protect(List<Var> params, Body body) {
    var walk = new Overwrites();
    walk.body(body);
    walk.spread();
    var copies = new ArrayList<Stm>();
    var renamed = new HashMap<Var, Atom>();
    for (var p : params) {
      if (walk.consumed.contains(p) && p.type().isArray()) {
        var copy = Names.like(p);
        copies.add(new Stm(List.of(copy), new Copy(p), Span.NONE));
        renamed.put(p, copy);
      }
    }
    if (copies.isEmpty()) {
      return body;
    }
    var replaced = new Substitution(renamed).body(body);
    copies.addAll(replaced.stms());
    return new Body(copies, replaced.results());
  }

  /** Which of the variables the statements overwrite, themselves or through an alias. */
  public static Set<Var> of(Body body) {
    var walk = new Overwrites();
    walk.body(body);
    walk.spread();
    return walk.consumed;
  }

  /** Whether the statement overwrites anything. */
  public static boolean consumes(Stm stm) {
    var walk = new Overwrites();
    walk.stm(stm);
    return !walk.consumed.isEmpty();
  }

  @Override
  public List<Stm> stm(Stm stm) {
    Views.operand(stm.exp()).ifPresent(a -> aliasAll(stm.pattern(), List.of(a)));
    switch (stm.exp()) {
      case If(_, var then, var otherwise) -> {
        aliasAll(stm.pattern(), then.results());
        aliasAll(stm.pattern(), otherwise.results());
      }
      case Loop loop -> {
        var params = loop.params().stream().map(LoopParam::var).toList();
        aliasAll(params, loop.params().stream().map(LoopParam::init).toList());
        aliasAll(stm.pattern(), params);
        aliasAll(stm.pattern(), loop.body().results());
      }
      case Screma s -> aliasAll(s.map().params(), s.inputs());
      case Hist h -> aliasAll(h.map().params(), h.inputs());
      case Scatter s -> aliasAll(s.map().params(), s.inputs());
      case Filter f -> aliasAll(f.map().params(), f.inputs());
      default -> {}
    }
    return Rewriter.super.stm(stm);
  }

  @Override
  public Exp exp(Exp exp) {
    switch (exp) {
      case Update(var a, _, _, _) -> consumed.add(a);
      case Hist h -> h.ops().forEach(op -> consumed.addAll(op.dests()));
      case Scatter s -> s.dests().forEach(d -> consumed.add(d.dest()));
      case WithAcc w -> w.inputs().forEach(in -> consumed.addAll(in.arrays()));
      default -> {}
    }
    return Rewriter.super.exp(exp);
  }

  private void aliasAll(List<Var> vars, List<? extends Atom> sources) {
    for (int i = 0; i < vars.size(); i++) {
      if (sources.get(i) instanceof Var source) {
        alias(vars.get(i), source);
      }
    }
  }

  private void alias(Var v, Var source) {
    if (v.type().isArray()) {
      aliases.computeIfAbsent(v, _ -> new ArrayList<>()).add(source);
    }
  }

  /** Goes over aliases: to overwrite an alias is to overwrite what it stands for. */
  private void spread() {
    var open = new ArrayList<>(consumed);
    while (!open.isEmpty()) {
      for (var source : aliases.getOrDefault(open.removeLast(), List.of())) {
        if (consumed.add(source)) {
          open.add(source);
        }
      }
    }
  }
}
