package dev.kenaz.simplify;

import dev.kenaz.analysis.Affine;
import dev.kenaz.analysis.Interval;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Exp.Convert;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Sizes;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Computes the intervals of integers, as far as their types, the way they are made and what they
 * are the size or the index of tell.
 */
final class Intervals {
  private static final int MAX_STEPS = 4;

  private final Env env;
  private final Set<Var> atLeastZero;
  private final Map<Var, Atom> atMost;

  /**
   * Starts with what is known of variables.
   *
   * @param atLeastZero variables that are not negative here
   * @param atMost variables that are less than others here
   */
  Intervals(Env env, Set<Var> atLeastZero, Map<Var, Atom> atMost) {
    this.env = env;
    this.atLeastZero = atLeastZero;
    this.atMost = atMost;
  }

  /** The interval of the form; empty if it may be outside of what an i64 holds. */
  Optional<Interval> of(Affine form) {
    try {
      var sum = Interval.of(form.constant());
      for (var t : form.terms().entrySet()) {
        sum = sum.plus(of(t.getKey(), 0), t.getValue());
      }
      return Optional.of(sum);
    } catch (ArithmeticException tooLarge) {
      return Optional.empty();
    }
  }

  private Interval of(Atom x, int depth) {
    if (x instanceof Const(var c)) {
      return Interval.of(c.asLong());
    }
    var v = (Var) x;
    var interval = Interval.of(v.type().elemPrim());
    if (depth > MAX_STEPS) {
      return interval;
    }
    if (env.nonNegative(v) || atLeastZero.contains(v)) {
      interval = interval.and(new Interval(0, Long.MAX_VALUE));
    }
    if (env.isSize(v)) {
      interval = interval.and(new Interval(0, Sizes.LONGEST));
    }
    for (var bound : new Atom[] {env.below(v), atMost.get(v)}) {
      if (bound != null) {
        long high = of(bound, depth + 1).high();
        interval = interval.and(new Interval(Long.MIN_VALUE, Math.max(high, -Long.MAX_VALUE) - 1));
      }
    }
    return interval.and(made(v, depth + 1));
  }

  /** The interval that follows from the statement that binds the variable. */
  private Interval made(Var v, int depth) {
    if (v.type().elemPrim() != Prim.I64) {
      return Interval.ALL;
    }
    return switch (env.exp(v)) {
      case Convert(_, var x) when x.type().elemPrim() == Prim.BOOL -> new Interval(0, 1);
      case Convert(_, var x)
          when x.type().elemPrim().isInteger() && x.type().elemPrim().byteSize() < Long.BYTES ->
          of(x, depth);
      case Binary(var op, var x, var y) when op == BinaryOp.MIN || op == BinaryOp.MAX -> {
        var a = of(x, depth);
        var b = of(y, depth);
        yield op == BinaryOp.MIN
            ? new Interval(Math.min(a.low(), b.low()), Math.min(a.high(), b.high()))
            : new Interval(Math.max(a.low(), b.low()), Math.max(a.high(), b.high()));
      }
      case Binary(var op, var x, Const(var c)) when c.asLong() > 0 ->
          by(op, of(x, depth), c.asLong());
      case null, default -> Interval.ALL;
    };
  }

  /** The result of the operator on an interval and a positive constant. */
  private static Interval by(BinaryOp op, Interval x, long c) {
    return switch (op) {
      case MOD -> new Interval(0, c - 1);
      case DIV -> new Interval(Math.floorDiv(x.low(), c), Math.floorDiv(x.high(), c));
      case QUOT -> new Interval(x.low() / c, x.high() / c);
      case AND -> new Interval(0, c);
      default -> Interval.ALL;
    };
  }
}
