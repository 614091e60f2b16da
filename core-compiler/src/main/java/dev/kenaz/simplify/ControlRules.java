package dev.kenaz.simplify;

import dev.kenaz.analysis.Effects;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.List;

/**
 * Simplifies branches and loops: a branch whose condition is known, such as {@code if true then x
 * else y = x}; results that are the same in both branches; conditions that a branch knows inside;
 * loops of no iteration, and parameters that keep their start value.
 */
record ControlRules(Simplifier simplifier, Env env, Ranges ranges) {
  // If

  boolean decided(If i) {
    return env.current(i.condition()) instanceof Const;
  }

  Body taken(If i) {
    return env.current(i.condition()).isConst(1) ? i.then() : i.otherwise();
  }

  void branches(If i, Stm stm) {
    var condition = env.current(i.condition());
    if (env.exp(condition) instanceof Unary(var op, var inner) && op == UnaryOp.NOT) {
      simplifier.markChanged();
      branches(new If(inner, i.otherwise(), i.then()), stm);
      return;
    }
    var then = simplifier.body(i.then(), true, () -> know(condition, true));
    var otherwise = simplifier.body(i.otherwise(), true, () -> know(condition, false));
    env.at(stm.span());
    var kept = new ArrayList<Integer>();
    for (int k = 0; k < stm.pattern().size(); k++) {
      var known = common(condition, then, otherwise, k);
      if (known == null) {
        kept.add(k);
      } else {
        simplifier.markChanged();
        env.replace(stm.pattern().get(k), known);
      }
    }
    if (kept.isEmpty() && !Effects.observable(new If(condition, then, otherwise))) {
      return;
    }
    simplifier.finish(
        Lists.pick(stm.pattern(), kept),
        new If(condition, then.pick(kept), otherwise.pick(kept)),
        stm.attrs(),
        stm.span());
  }

  /** Notes what the condition's value tells. */
  private void know(Atom condition, boolean value) {
    ranges.learn(condition, value);
    assume(condition, value);
  }

  /** Lets the value stand for the condition, and for those that it consists of. */
  private void assume(Atom condition, boolean value) {
    if (!(condition instanceof Var v)) {
      return;
    }
    switch (env.exp(v)) {
      case Compare(var op, var x, var y)
          when value && op == CompareOp.EQ && x.type().equals(Type.I64) ->
          env.assumeEqual(x, y);
      case Binary(var op, var x, var y) when op == (value ? BinaryOp.AND : BinaryOp.OR) -> {
        assume(x, value);
        assume(y, value);
      }
      case Unary(var op, var x) when op == UnaryOp.NOT -> assume(x, !value);
      // c && x, and c || x
      case If(var c, _, var otherwise) when value && otherwise.results().getFirst().isConst(0) ->
          assume(c, true);
      case If(var c, var then, _) when !value && then.results().getFirst().isConst(1) ->
          assume(c, false);
      case null, default -> {}
    }
    env.assume(v, Atom.bool(value));
  }

  /** Returns the atom that a result is, whichever branch is taken, or null. */
  private Atom common(Atom condition, Body then, Body otherwise, int k) {
    var x = then.results().get(k);
    var y = otherwise.results().get(k);
    if (x.equals(y)) {
      return x;
    }
    if (!x.type().equals(Type.BOOL) || env.discreteTangents()) {
      return null;
    }
    if (x instanceof Const(var a) && y instanceof Const) {
      return a.asBoolean() ? condition : env.emit("not", new Unary(UnaryOp.NOT, condition));
    }
    if (y.isConst(0) && outside(x, then)) {
      return env.emit("and", new Binary(BinaryOp.AND, condition, x));
    }
    return x.isConst(1) && outside(y, otherwise)
        ? env.emit("or", new Binary(BinaryOp.OR, condition, y))
        : null;
  }

  /** Whether the atom is not bound in the body. */
  static boolean outside(Atom x, Body body) {
    return x instanceof Const || body.stms().stream().noneMatch(s -> s.pattern().contains(x));
  }

  // Loop

  void loop(Loop loop, Stm stm) {
    var inits = simplifier.atoms(loop.params().stream().map(LoopParam::init).toList());
    if (neverRuns(loop, inits)) {
      simplifier.markChanged();
      simplifier.results(stm.pattern(), inits);
      return;
    }
    if (loop.form() instanceof For(var i, var bound) && env.current(bound).isConst(1)) {
      simplifier.markChanged();
      env.replace(i, Atom.of(i.type().elemPrim(), 0));
      var params = loop.params().stream().map(LoopParam::var).toList();
      simplifier.results(params, inits);
      simplifier.results(stm.pattern(), simplifier.inline(loop.body()));
      return;
    }
    var kept = new ArrayList<Integer>();
    for (int k = 0; k < inits.size(); k++) {
      if (invariant(loop, inits, k)) {
        simplifier.markChanged();
        env.replace(loop.params().get(k).var(), inits.get(k));
        env.replace(stm.pattern().get(k), inits.get(k));
      } else {
        kept.add(k);
      }
    }
    if (kept.isEmpty() && !Effects.observable(loop) && loop.form() instanceof For) {
      return;
    }
    var params = Lists.pick(loop.params(), kept);
    var smaller = new Loop(params, loop.form(), loop.body().pick(kept));
    var rebuilt = loop(smaller);
    env.at(stm.span());
    simplifier.finish(Lists.pick(stm.pattern(), kept), rebuilt, stm.attrs(), stm.span());
  }

  private boolean neverRuns(Loop loop, List<Atom> inits) {
    return switch (loop.form()) {
      case For(_, var bound) ->
          env.current(bound) instanceof Const(var n)
              && (n.prim().isUnsigned() ? n.bits() == 0 : n.asLong() <= 0);
      case While(var c) -> {
        for (int k = 0; k < inits.size(); k++) {
          if (loop.params().get(k).var().equals(c) && inits.get(k).isConst(0)) {
            yield true;
          }
        }
        yield false;
      }
    };
  }

  /** Whether a parameter keeps its start value, which may replace it in the types of others. */
  private boolean invariant(Loop loop, List<Atom> inits, int k) {
    var p = loop.params().get(k).var();
    if (loop.form() instanceof While(var c) && c.equals(p)) {
      return false;
    }
    var result = loop.body().results().get(k);
    return result.equals(p) || env.current(result).equals(inits.get(k));
  }

  Loop loop(Loop loop) {
    var inits = simplifier.atoms(loop.params().stream().map(LoopParam::init).toList());
    Atom bound = loop.form() instanceof For(_, var b) ? env.current(b) : null;
    env.push(false);
    var params = new ArrayList<LoopParam>();
    for (int k = 0; k < inits.size(); k++) {
      params.add(new LoopParam(simplifier.binder(loop.params().get(k).var()), inits.get(k)));
    }
    var form =
        switch (loop.form()) {
          case For(var i, _) -> {
            var bi = simplifier.binder(i);
            ranges.runsBelow(bi, bound);
            ranges.occupied(bound);
            yield new For(bi, bound);
          }
          case While(var c) -> new While(simplifier.var(c));
        };
    loop.body().stms().forEach(simplifier::process);
    var results = simplifier.atoms(loop.body().results());
    return new Loop(params, form, new Body(env.pop(), results));
  }
}
