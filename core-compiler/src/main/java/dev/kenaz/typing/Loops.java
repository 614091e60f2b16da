package dev.kenaz.typing;

import static dev.kenaz.error.ErrorCode.K3001;
import static dev.kenaz.error.ErrorCode.K3002;
import static dev.kenaz.error.ErrorCode.K3015;

import dev.kenaz.source.Exp;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks loops: finds which sizes stay the same in every iteration, and which the iterations
 * decide.
 */
final class Loops {
  private final Session s;
  private final Scopes scopes;

  Loops(Session session, Scopes scopes) {
    this.s = session;
    this.scopes = scopes;
  }

  /**
   * For the open sizes of enclosing loops' parameters, the sizes that these have before the loops.
   */
  private final Map<Size.Meta, Size> starts = new HashMap<>();

  /** A size of the loop's value: before the loop, and as its parameter has it. */
  private record Merge(Size initial, Size.Meta param) {}

  TypedExp loop(Exp.Loop l, Env env) {
    var initial = s.expressions.check(l.initial(), env);
    s.noFunctions(
        initial.type(), l.initial().span(), "What a loop starts with can't be or hold a function");
    s.inference.enter();
    List<Merge> merges = new ArrayList<>();
    var type = merged(initial.type(), merges);
    var inner = env.child();
    var sizes = s.expressions.sizeBinders(l.sizes(), inner);
    var bound = new Patterns.Bound(l.sizes().stream().map(Exp.SizeBinder::name));
    var pattern = s.patterns.check(l.pattern(), type, inner, bound);
    s.functions.readable(sizes, pattern.type(), l.pattern().span());
    s.inference.enter();
    var form = form(l.form(), env, inner);
    var body = s.expressions.check(l.body(), form.env());
    s.inference.leave();
    try {
      settle(pattern.type(), body, merges, sizes, l);
    } catch (Mismatch m) {
      throw Session.error(
          K3001, l.pattern().span(), "The sizes of the loop's value do not fit", m.getMessage());
    }
    s.inference.leave();
    var exit = scopes.exit(Types.strip(pattern.type()));
    return exit.bind(
        new TypedExp.Loop(sizes, pattern, initial, form.form(), body, exit.type(), l.span()));
  }

  /** A loop's form, and the scope of its body. */
  private record Opened(TypedExp.LoopForm form, Env env) {}

  private Opened form(Exp.LoopForm form, Env outer, Env inner) {
    return switch (form) {
      case Exp.LoopForm.For f -> {
        var bound = s.expressions.check(f.bound(), outer);
        var type = s.inference.newType(Inference.oneOf(Prim::isInteger));
        s.expect(type, bound.type(), f.bound().span(), "The loop's bound");
        var v = s.inference.bindHere(s.inference.fresh(f.name()));
        var env = inner.child().add(f.name(), new Env.Local(v, type));
        // The real type is filled in once it is known.
        yield new Opened(new TypedExp.LoopForm.For(v, Prim.I64, bound), env);
      }
      case Exp.LoopForm.ForIn f -> {
        var array = s.expressions.check(f.array(), outer);
        var element = s.inference.newElement();
        s.expect(
            Types.array(s.inference.newSize("n"), element),
            array.type(),
            f.array().span(),
            "what the loop goes through");
        var env = inner.child();
        var pattern = s.patterns.check(f.pattern(), element, env);
        // The real type is filled in once it is known.
        yield new Opened(new TypedExp.LoopForm.ForIn(pattern, array), env);
      }
      case Exp.LoopForm.While w -> {
        var condition = s.expressions.check(w.condition(), inner);
        s.expect(Types.BOOL, condition.type(), w.condition().span(), "The condition");
        yield new Opened(new TypedExp.LoopForm.While(condition), inner.child());
      }
    };
  }

  /** Returns the initial value's type with every size open. */
  private SType merged(SType type, List<Merge> merges) {
    return switch (Types.stripTop(type)) {
      case SType.Array a -> {
        var size = s.inference.newSize(a.size() instanceof Size.Var v ? v.name().base() : "n");
        merges.add(new Merge(a.size(), size));
        starts.put(size, a.size());
        yield Types.array(size, merged(a.element(), merges));
      }
      case SType.Record r -> Types.mapFields(r, t -> merged(t, merges));
      case SType.Named n ->
          new SType.Named(
              n.name(),
              Types.mapList(
                  n.args(),
                  arg -> {
                    if (arg instanceof TypeArg.OfSize(var size)) {
                      var open = s.inference.newSize("n");
                      merges.add(new Merge(size, open));
                      return new TypeArg.OfSize(open);
                    }
                    return arg;
                  }));
      case SType.Sum sum -> Types.mapPayloads(sum, t -> merged(t, merges));
      case SType t -> t;
    };
  }

  /**
   * Decides each size of the loop's value: a size that the body keeps is the initial one; a size
   * that it changes becomes the loop's own.
   *
   * @param sizes gets the sizes that become the loop's own
   */
  private void settle(
      SType param, TypedExp body, List<Merge> merges, List<VName> sizes, Exp.Loop l) {
    Set<VName> own = new HashSet<>(sizes);
    List<Size> results = new ArrayList<>();
    collect(param, body.type(), results);
    Map<Size.Meta, Size> resultOf = new HashMap<>();
    List<Size> params = new ArrayList<>();
    collect(param, param, params);
    for (int i = 0; i < params.size(); i++) {
      if (i < results.size() && Types.resolve(params.get(i)) instanceof Size.Meta m) {
        var r = Types.resolve(results.get(i));
        var old = resultOf.get(m);
        if (old == null || old == m) {
          resultOf.put(m, r);
        }
      }
    }
    exchange(merges, resultOf);
    Map<VName, Size> startOf = new HashMap<>();
    for (var merge : merges) {
      var size = Types.resolve(merge.param());
      if (size instanceof Size.Meta m) {
        var result = resultOf.getOrDefault(m, m);
        boolean escaped = m.level < s.inference.level();
        if (result == m
            || equal(result, merge.initial())
            || escaped
                && result instanceof Size.Meta open
                && s.unifier.trySize(open, merge.initial())) {
          s.unifier.unifySize(m, merge.initial());
        } else {
          if (escaped) {
            throw Session.error(
                K3015,
                l.pattern().span(),
                "Loop-variant size has escaped: it changes with each iteration, but something"
                    + " defined outside the loop has it as well",
                "write the sizes of what is used in the loop, or coerce it there with `:>`");
          }
          var v = s.inference.freshSize(m.hint.isEmpty() ? "n" : m.hint);
          m.link = new Size.Var(v);
          sizes.add(v);
          own.add(v);
          startOf.put(v, merge.initial());
        }
      } else {
        boolean changes = size instanceof Size.Var v && own.contains(v.name());
        starts(
            changes
                ? startOf.computeIfAbsent(((Size.Var) size).name(), _ -> merge.initial())
                : size,
            merge.initial(),
            size,
            l);
      }
    }
    s.expect(flexible(param, own), body.type(), l.body().span(), "The loop's body");
  }

  /** Checks that a size of the loop's parameter is what the loop starts with. */
  private void starts(Size wanted, Size initial, Size param, Exp.Loop l) {
    if (wanted != initial && !s.unifier.trySize(wanted, initial)) {
      var printer =
          TypePrinter.ofTwo(Types.array(initial, Types.UNIT), Types.array(wanted, Types.UNIT));
      throw Session.error(
          K3002,
          l.initial().span(),
          "The loop starts with the size \"%s\", but %s \"%s\""
              .formatted(
                  printer.size(initial),
                  wanted == param ? "goes on with" : "this size should also be",
                  printer.size(wanted)));
    }
  }

  /**
   * If parts of the loop's value only change places, they keep the size that all of them start
   * with.
   */
  private void exchange(List<Merge> merges, Map<Size.Meta, Size> resultOf) {
    Map<Size, Merge> byParam = new HashMap<>();
    merges.forEach(m -> byParam.putIfAbsent(Types.resolve(m.param()), m));
    for (var first : merges) {
      List<Size.Meta> cycle = new ArrayList<>();
      var at = Types.resolve(first.param());
      while (at instanceof Size.Meta m && !cycle.contains(m)) {
        var merge = byParam.get(m);
        if (merge == null || !equal(first.initial(), merge.initial())) {
          break;
        }
        cycle.add(m);
        at = Types.resolve(resultOf.getOrDefault(m, Size.ANY));
      }
      if (cycle.size() > 1 && at == cycle.getFirst()) {
        cycle.forEach(m -> s.unifier.unifySize(m, first.initial()));
      }
    }
  }

  private boolean equal(Size a, Size b) {
    var x = Types.resolve(a);
    var y = start(b);
    return !(x instanceof Size.Meta) && !(y instanceof Size.Meta) && s.unifier.trySize(x, y);
  }

  /**
   * What a size was before the loops around. If a loop's size and the one that it starts with, that
   * of an outer loop, are known to be the same, one of them stands for both, so the way leads back
   * to it; it goes on from the outer loop's size then.
   */
  private Size start(Size size) {
    Set<Size> seen = new HashSet<>();
    var at = size;
    while (true) {
      var y = Types.resolve(at);
      if (!(y instanceof Size.Meta m)) {
        return y;
      }
      var before = starts.get(seen.add(m) || !(at instanceof Size.Meta joined) ? m : joined);
      if (before == null) {
        return y;
      }
      at = before;
    }
  }

  /**
   * Whether sizes of two branches are taken for one. A size of a loop's value may change in one
   * branch; so it is taken for another size only if the loop starts with that.
   */
  boolean joinable(Size a, Size b) {
    var x = start(a);
    var y = start(b);
    if (x == Types.resolve(a) && y == Types.resolve(b)) {
      return true;
    }
    return x == y
        || !(x instanceof Size.Meta) && !(y instanceof Size.Meta) && s.unifier.trySize(x, y);
  }

  /** Collects sizes of the second type, in the order of the first. */
  private static void collect(SType like, SType type, List<Size> out) {
    var b = Types.stripTop(type);
    switch (Types.stripTop(like)) {
      case SType.Array x when b instanceof SType.Array y -> {
        out.add(y.size());
        collect(x.element(), y.element(), out);
      }
      case SType.Record x
          when b instanceof SType.Record y && x.fields().keySet().equals(y.fields().keySet()) ->
          x.fields().forEach((f, t) -> collect(t, y.fields().get(f), out));
      case SType.Named x when b instanceof SType.Named y -> {
        for (var arg : y.args()) {
          if (arg instanceof TypeArg.OfSize(var size)) {
            out.add(size);
          }
        }
      }
      case SType.Sum x
          when b instanceof SType.Sum y
              && x.constructors().keySet().equals(y.constructors().keySet()) ->
          x.constructors()
              .forEach(
                  (c, ts) -> {
                    var us = y.constructors().get(c);
                    for (int i = 0; i < Math.min(ts.size(), us.size()); i++) {
                      collect(ts.get(i), us.get(i), out);
                    }
                  });
      case SType _ -> {}
    }
  }

  /** Returns the type with some named sizes open. */
  SType flexible(SType type, Set<VName> open) {
    if (open.isEmpty()) {
      return type;
    }
    Map<VName, TypeArg> by = new HashMap<>();
    open.forEach(v -> by.put(v, new TypeArg.OfSize(s.inference.anySize(v.base()))));
    return Types.subst(type, by);
  }

  /** Returns the type with every size open, where no two are linked. */
  SType blurred(SType type) {
    return Types.map(type, leaf -> leaf, _ -> s.inference.anySize());
  }

  /** Fills sizes that are still open in a type with those of another type of the same shape. */
  void fillIn(SType type, SType from) {
    List<Size> open = new ArrayList<>();
    List<Size> known = new ArrayList<>();
    collect(type, type, open);
    collect(type, from, known);
    for (int i = 0; i < Math.min(open.size(), known.size()); i++) {
      if (Types.resolve(open.get(i)) instanceof Size.Meta m) {
        s.unifier.unifySize(m, known.get(i));
      }
    }
  }
}
