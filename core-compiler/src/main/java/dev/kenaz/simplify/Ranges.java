package dev.kenaz.simplify;

import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.HashMap;
import java.util.Map;

/**
 * Proofs of inequalities between sizes and indices, as linear forms over variables that run from 0
 * to below a bound or are at least not negative. Indices into memory and their small multiples do
 * not overflow, so the forms are taken over the integers.
 */
final class Ranges {
  private static final int MAX_TERMS = 6;
  private static final int MAX_STEPS = 8;
  private static final long MAX_FACTOR = 1 << 10;
  private static final long MAX_CONSTANT = 1L << 40;

  private final Env env;

  Ranges(Env env) {
    this.env = env;
  }

  /** {@code constant + Σ factor · variable}. */
  private record Linear(long constant, Map<Var, Long> terms) {
    boolean tooLarge() {
      return terms.size() > MAX_TERMS
          || Math.abs(constant) > MAX_CONSTANT
          || terms.values().stream().anyMatch(f -> Math.abs(f) > MAX_FACTOR);
    }

    Linear plus(Linear other, long factor) {
      var sum = new HashMap<>(terms);
      other.terms.forEach((v, f) -> sum.merge(v, f * factor, Long::sum));
      sum.values().removeIf(f -> f == 0);
      return new Linear(constant + other.constant * factor, sum);
    }

    Linear without(Var v) {
      var rest = new HashMap<>(terms);
      rest.remove(v);
      return new Linear(constant, rest);
    }
  }

  /** Whether {@code 0 <= x < bound} for sure. */
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
    return holds(linear(y).plus(linear(x), -1).plus(new Linear(gap, Map.of()), -1));
  }

  boolean notNegative(Atom x) {
    return env.nonNegative(x) || holds(linear(x));
  }

  /** Whether it is at least 0 for all values of the variables. */
  private boolean holds(Linear form) {
    var at = form;
    for (int step = 0; step < MAX_STEPS; step++) {
      if (at.tooLarge()) {
        return false;
      }
      var negative =
          at.terms.entrySet().stream().filter(e -> e.getValue() < 0).findFirst().orElse(null);
      if (negative == null) {
        var open = at.terms.keySet().stream().filter(v -> !env.nonNegative(v)).findFirst();
        return open.isEmpty() && at.constant >= 0;
      }
      var v = negative.getKey();
      var bound = env.below(v);
      if (bound == null) {
        return false;
      }
      // at its largest
      at = at.without(v).plus(linear(bound), negative.getValue());
      at = at.plus(new Linear(1, Map.of()), -negative.getValue());
    }
    return false;
  }

  private Linear linear(Atom x) {
    return linear(x, 0);
  }

  private Linear linear(Atom x, int depth) {
    if (x instanceof Const(var c)) {
      return new Linear(c.asLong(), Map.of());
    }
    var v = (Var) x;
    var self = new Linear(0, Map.of(v, 1L));
    if (depth > MAX_STEPS) {
      return self;
    }
    return switch (env.exp(v)) {
      case Binary(var op, var a, var b) when op == BinaryOp.ADD && isIndex(v) ->
          linear(a, depth + 1).plus(linear(b, depth + 1), 1);
      case Binary(var op, var a, var b) when op == BinaryOp.SUB && isIndex(v) ->
          linear(a, depth + 1).plus(linear(b, depth + 1), -1);
      case Binary(var op, var a, Const(var c)) when op == BinaryOp.MUL && isIndex(v) ->
          new Linear(0, Map.of()).plus(linear(a, depth + 1), c.asLong());
      case Convert(_, Const(var c)) -> new Linear(c.asLong(), Map.of());
      case null, default -> self;
    };
  }

  private static boolean isIndex(Var v) {
    return v.type().elemPrim() == Prim.I64;
  }
}
