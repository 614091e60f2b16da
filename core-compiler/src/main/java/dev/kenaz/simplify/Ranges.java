package dev.kenaz.simplify;

import dev.kenaz.analysis.Affine;
import dev.kenaz.analysis.Integers;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.Binary;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Proves inequalities between sizes and indices where the walk is. Variables in an inequality are
 * replaced by their bounds, one after the other, until what is left cannot be negative.
 */
final class Ranges extends Integers {
  private static final int MAX_TERMS = 6;
  private static final int MAX_STEPS = 8;

  private final Env env;

  /** Forms over indices and sizes that are not negative here, besides what is noted of each. */
  private final List<Affine> facts = new ArrayList<>();

  private final Map<Var, List<Affine>> noted = new HashMap<>();

  Ranges(Env env) {
    this.env = env;
  }

  @Override
  protected Exp exp(Var v) {
    return env.exp(v);
  }

  @Override
  protected boolean isSize(Var v) {
    return env.isSize(v);
  }

  @Override
  protected List<Affine> noted(Var v) {
    return noted.getOrDefault(v, List.of());
  }

  /** Returns the form of its statement, unless more is known of the variable itself. */
  @Override
  protected Affine form(Var v, int steps) {
    var form = formOfStatement(v, steps);
    boolean more = indexOf(v) != null || noted.containsKey(v) && !overIndices(form, steps);
    return more ? Affine.of(v) : form;
  }

  // What is known in a scope

  /** Notes that the variable runs from 0 up to, not including, the bound. */
  void runsBelow(Var v, Atom bound) {
    env.counts(v);
    where(CompareOp.LT, v, bound, true).forEach(f -> note(v, f));
  }

  /**
   * Notes the value of a condition to the end of the scope; only where nothing leaves the scope.
   */
  void learn(Atom condition, boolean value) {
    where(condition, value, this::note);
  }

  /**
   * Notes to the end of the scope that a variable runs below the bound, so the bound is at least 1.
   */
  void occupied(Atom bound) {
    var zero = Atom.of(bound.type().elemPrim(), 0);
    where(CompareOp.LT, zero, bound, true).forEach(this::note);
  }

  /**
   * Notes that the form is not negative. A form over indices and sizes is a fact. Another variable
   * gets a bound, and becomes an index where two together say so.
   */
  private void note(Affine form) {
    if (form.isConstant() || form.terms().size() > MAX_TERMS) {
      return;
    }
    if (overIndices(form, 0)) {
      facts.add(form);
      env.undo(facts::removeLast);
      return;
    }
    var open = form.terms().keySet().stream().filter(v -> !isIndex(v, 0)).toList();
    if (open.size() == 1) {
      note(open.getFirst(), form);
    }
  }

  private void note(Var v, Affine form) {
    var all = noted.computeIfAbsent(v, _ -> new ArrayList<>());
    all.add(form);
    env.undo(
        () -> {
          all.removeLast();
          if (all.isEmpty()) {
            noted.remove(v);
          }
        });
  }

  private boolean overIndices(Affine form, int steps) {
    return form.terms().keySet().stream().allMatch(v -> isIndex(v, steps));
  }

  /** Whether it is a size, or has a bound and is not negative. */
  private boolean isIndex(Var v, int steps) {
    return isSize(v)
        || inequalities(v, steps).stream().anyMatch(f -> f.factor(v) == -1)
            && end(Affine.of(v), false, steps).orElse(-1) >= 0;
  }

  // Questions

  /** Whether {@code 0 <= x < bound} is certain. */
  boolean inside(Atom x, Atom bound) {
    if (x instanceof Const(var i) && bound instanceof Const(var n)) {
      return i.asLong() >= 0 && i.asLong() < n.asLong();
    }
    return x instanceof Var v && bound.equals(indexOf(v)) || notNegative(x) && less(x, bound);
  }

  boolean less(Atom x, Atom y) {
    return lessBy(x, y, 1);
  }

  boolean lessOrEqual(Atom x, Atom y) {
    return lessBy(x, y, 0);
  }

  boolean notNegative(Atom x) {
    return lessOrEqual(Atom.i64(0), x);
  }

  private boolean lessBy(Atom x, Atom y, long gap) {
    // of two operands, both or one of them must be so
    if (env.exp(x) instanceof Binary(var op, var a, var b) && op == BinaryOp.MAX) {
      return lessBy(a, y, gap) && lessBy(b, y, gap);
    }
    if (env.exp(y) instanceof Binary(var op, var a, var b) && op == BinaryOp.MIN) {
      return lessBy(x, a, gap) && lessBy(x, b, gap);
    }
    try {
      return isNotNegative(form(y).minus(form(x)).plus(-gap));
    } catch (ArithmeticException tooLarge) {
      return false;
    }
  }

  @Override
  protected boolean isNotNegative(Affine form) {
    return isNotNegative(form, MAX_STEPS)
        || facts.stream().anyMatch(f -> isNotNegative(form.minus(f), MAX_STEPS));
  }

  /** Whether it is not negative by the variables' ranges alone. */
  private boolean isNotNegative(Affine form, int steps) {
    if (end(form, false).orElse(-1) >= 0) {
      return true;
    }
    if (steps == 0 || form.terms().size() > MAX_TERMS) {
      return false;
    }
    var terms = form.terms();
    var v =
        terms.keySet().stream()
            .filter(x -> terms.get(x) < 0)
            .findFirst()
            .or(
                () ->
                    terms.keySet().stream()
                        .filter(x -> end(Affine.of(x), false).orElse(-1) < 0)
                        .findFirst());
    // with the bound in the variable's place the form is at its smallest
    return v.isPresent()
        && inequalities(v.get()).stream()
            .filter(f -> f.factor(v.get()) == Long.signum(form.factor(v.get())))
            .anyMatch(f -> isNotNegative(form.plus(f, -Math.abs(form.factor(v.get()))), steps - 1));
  }
}
