package dev.kenaz.simplify;

import dev.kenaz.analysis.Affine;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Compare;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Proves inequalities between sizes and indices, as linear forms over variables that run from 0 to
 * below a bound or are at least not negative. Forms are over the integers: a sum, a difference or a
 * multiple is taken apart only where {@link Intervals} say that it can't wrap around.
 */
final class Ranges {
  private static final int MAX_TERMS = 6;
  private static final int MAX_STEPS = 8;

  private final Env env;
  private final Intervals intervals;

  /** Forms that are at least 0 here, besides what the variables' ranges say. */
  private final List<Affine> facts = new ArrayList<>();

  /** Other variables that are known not to be negative, and those known to be below a bound. */
  private final Set<Var> atLeastZero = new HashSet<>();

  private final Map<Var, Atom> atMost = new HashMap<>();

  Ranges(Env env) {
    this.env = env;
    this.intervals = new Intervals(env, atLeastZero, atMost);
  }

  // What is known in a scope

  /**
   * Notes the value of a comparison to the end of the scope; only where nothing leaves the scope.
   */
  void learn(Compare c, boolean value) {
    var x = c.x();
    var y = c.y();
    if (!x.type().equals(Type.I64)) {
      return;
    }
    switch (c.op()) {
      case LT -> atLeast(value ? y : x, value ? x : y, value ? 1 : 0);
      case LE -> atLeast(value ? y : x, value ? x : y, value ? 0 : 1);
      case EQ -> {
        if (!value && lessOrEqual(x, y)) {
          atLeast(y, x, 1);
        } else if (!value && lessOrEqual(y, x)) {
          atLeast(x, y, 1);
        }
      }
    }
  }

  /**
   * Notes to the end of the scope that a variable runs below the bound, so the bound is at least 1.
   */
  void occupied(Atom bound) {
    atLeast(bound, Atom.i64(0), 1);
  }

  /**
   * Notes that {@code x >= y + gap}. A form is noted only over indices and sizes. Any other
   * variable becomes an index where two comparisons together say so.
   */
  private void atLeast(Atom x, Atom y, long gap) {
    try {
      note(x, y, gap);
    } catch (ArithmeticException tooLarge) {
      // nothing is noted then
    }
  }

  private void note(Atom x, Atom y, long gap) {
    var form = linear(x).plus(linear(y), -1).plus(-gap);
    if (tooLarge(form) || form.terms().isEmpty()) {
      return;
    }
    if (overIndices(linear(x)) && overIndices(linear(y))) {
      facts.add(form);
      env.undo(facts::removeLast);
    } else if (y instanceof Const(var c) && Math.addExact(c.asLong(), gap) >= 0 && isPlain(x)) {
      if (atLeastZero.add((Var) x)) {
        env.undo(() -> atLeastZero.remove(x));
      }
      bounded((Var) x);
    } else if (gap == 1 && isPlain(y) && overIndices(linear(x))) {
      if (atMost.putIfAbsent((Var) y, x) == null) {
        env.undo(() -> atMost.remove(y));
      }
      bounded((Var) y);
    }
  }

  /** Whether it is a variable that is not computed from indices and sizes alone. */
  private boolean isPlain(Atom x) {
    return x instanceof Var && !overIndices(linear(x));
  }

  private boolean overIndices(Affine form) {
    return form.terms().keySet().stream().allMatch(env::nonNegative);
  }

  private void bounded(Var v) {
    if (atLeastZero.contains(v) && atMost.containsKey(v) && env.below(v) == null) {
      env.setBelow(v, atMost.get(v));
      env.undo(() -> env.setBelow(v, null));
    }
  }

  // Questions

  /** Whether {@code 0 <= x < bound} is certain. */
  boolean inside(Atom x, Atom bound) {
    if (x instanceof Const(var i) && bound instanceof Const(var n)) {
      return i.asLong() >= 0 && i.asLong() < n.asLong();
    }
    return notNegative(x) && less(x, bound);
  }

  boolean less(Atom x, Atom y) {
    return lessBy(x, y, 1);
  }

  boolean lessOrEqual(Atom x, Atom y) {
    return lessBy(x, y, 0);
  }

  private boolean lessBy(Atom x, Atom y, long gap) {
    try {
      return differBy(x, y, gap);
    } catch (ArithmeticException tooLarge) {
      return false;
    }
  }

  private boolean differBy(Atom x, Atom y, long gap) {
    if (env.exp(x) instanceof Binary(var op, var a, var b) && isExtremum(op) && isIndex(x)) {
      boolean first = lessBy(a, y, gap);
      return op == BinaryOp.MIN ? first || lessBy(b, y, gap) : first && lessBy(b, y, gap);
    }
    return holds(linear(y).plus(linear(x), -1).plus(-gap));
  }

  boolean notNegative(Atom x) {
    if (env.exp(x) instanceof Binary(var op, var a, var b) && isExtremum(op) && isIndex(x)) {
      return op == BinaryOp.MAX
          ? notNegative(a) || notNegative(b)
          : notNegative(a) && notNegative(b);
    }
    return env.nonNegative(x) || lessBy(Atom.i64(0), x, 0);
  }

  private static boolean isExtremum(BinaryOp op) {
    return op == BinaryOp.MIN || op == BinaryOp.MAX;
  }

  /** Whether the form is at least 0 for all values of the variables. */
  private boolean holds(Affine form) {
    var all = intervals.of(form);
    return all.isPresent() && all.get().low() >= 0
        || everywhere(form)
        || facts.stream().anyMatch(f -> everywhere(form.plus(f, -1)));
  }

  /** Whether it is at least 0 by the variables' ranges alone. */
  private boolean everywhere(Affine form) {
    var at = form;
    for (int step = 0; step < MAX_STEPS; step++) {
      if (tooLarge(at)) {
        return false;
      }
      var negative =
          at.terms().entrySet().stream().filter(e -> e.getValue() < 0).findFirst().orElse(null);
      if (negative == null) {
        var open = at.terms().keySet().stream().filter(v -> !env.nonNegative(v)).findFirst();
        return open.isEmpty() && at.constant() >= 0;
      }
      var v = negative.getKey();
      var bound = env.below(v);
      if (bound == null) {
        return false;
      }
      // this is the bound at its largest
      at = at.with(v, linear(bound));
      at = at.plus(-negative.getValue());
    }
    return false;
  }

  private static boolean tooLarge(Affine form) {
    return form.terms().size() > MAX_TERMS;
  }

  private Affine linear(Atom x) {
    return linear(x, 0);
  }

  private Affine linear(Atom x, int depth) {
    if (x instanceof Const(var c)) {
      return Affine.of(c.asLong());
    }
    var v = (Var) x;
    var self = Affine.of(v);
    if (depth > MAX_STEPS) {
      return self;
    }
    var sum = sum(v, self, depth);
    return env.below(v) == null || overIndices(sum) ? sum : self;
  }

  private Affine sum(Var v, Affine self, int depth) {
    try {
      var sum =
          switch (env.exp(v)) {
            case Binary(var op, var a, var b) when op == BinaryOp.ADD && isIndex(v) ->
                linear(a, depth + 1).plus(linear(b, depth + 1));
            case Binary(var op, var a, var b) when op == BinaryOp.SUB && isIndex(v) ->
                linear(a, depth + 1).plus(linear(b, depth + 1), -1);
            case Binary(var op, var a, Const(var c)) when op == BinaryOp.MUL && isIndex(v) ->
                linear(a, depth + 1).times(c.asLong());
            case Convert(_, Const(var c)) -> Affine.of(c.asLong());
            case null, default -> self;
          };
      return tooLarge(sum) || wraps(sum) ? self : sum;
    } catch (ArithmeticException tooLarge) {
      return self;
    }
  }

  /** Whether the form may be outside of what an i64 holds, as far as is known. */
  private boolean wraps(Affine form) {
    return intervals.of(form).isEmpty();
  }

  private static boolean isIndex(Atom x) {
    return x.type().elemPrim() == Prim.I64;
  }
}
