package dev.kenaz.ad;

import dev.kenaz.analysis.Affine;
import dev.kenaz.analysis.Interval;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.UnaryOp;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Sizes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Collects what is known of a program's integers: which are affine forms of others, which
 * inequalities hold of the others, and what comparisons say. Forms are over the integers: what
 * might wrap around, as far as is known of its operands, or has numbers that are too large, becomes
 * a variable of which nothing is known.
 */
final class AffineForms {
  private static final int MOST_STEPS = 16;
  private static final int MOST_DEPTH = 4;

  private final Map<Var, Affine> forms = new HashMap<>();
  private final Map<Var, Set<Affine>> notNegative = new HashMap<>();
  private final Map<Var, Affine> zero = new HashMap<>();
  private final Map<Var, Meaning> conditions = new HashMap<>();

  /**
   * Sizes of arrays, and counters of iterations: like sizes, these are at most {@link
   * Sizes#LONGEST}.
   */
  private final Set<Var> sizes = new HashSet<>();

  /** The lengths of those arrays that hold 0, 1, 2, …. */
  private final Map<Var, Atom> lengths = new HashMap<>();

  /** Where the values of a read are kept, if the loops around it don't index them. */
  private final Map<Var, Counters.Place> places = new HashMap<>();

  /** Forms that are not negative where a condition holds, and forms that are not where it fails. */
  private record Meaning(List<Affine> holds, List<Affine> fails) {}

  Affine of(Atom x) {
    return switch (x) {
      case Const(var c) -> c.prim().isInteger() ? Affine.of(c.asLong()) : Affine.ZERO;
      case Var v -> forms.getOrDefault(v, Affine.of(v));
    };
  }

  /** What is known not to be negative where the variable is bound. */
  Set<Affine> notNegative(Var v) {
    return notNegative.getOrDefault(v, Set.of());
  }

  /** What is known to be zero where the variable is bound, if anything. */
  List<Affine> zero(Var v) {
    return zero.containsKey(v) ? List.of(zero.get(v)) : List.of();
  }

  /** What isn't negative where the condition holds, or where it doesn't. */
  List<Affine> where(Atom condition, boolean holds) {
    var meaning = condition instanceof Var v ? conditions.get(v) : null;
    return meaning == null ? List.of() : holds ? meaning.holds() : meaning.fails();
  }

  void place(Var read, Counters.Place place) {
    places.put(read, place);
  }

  Optional<Counters.Place> place(Var read) {
    return Optional.ofNullable(places.get(read));
  }

  /** The most that the integer can be for any values of some variables, in terms of others. */
  Optional<Affine> most(Atom x, Set<Var> unknown) {
    try {
      var form = of(x);
      for (int step = 0; step < MOST_STEPS; step++) {
        var open = form.terms().keySet().stream().filter(unknown::contains).findFirst();
        if (open.isEmpty()) {
          // x itself is a number, so the form, which is at least as large, can't be too small
          extreme(form, true, 0);
          return Optional.of(form);
        }
        var extreme = extreme(open.get(), form.factor(open.get()) > 0);
        if (extreme.isEmpty()) {
          return Optional.empty();
        }
        form = form.with(open.get(), extreme.get());
      }
    } catch (ArithmeticException tooLarge) {
      // nothing is known then
    }
    return Optional.empty();
  }

  private Optional<Affine> extreme(Var v, boolean largest) {
    long sign = largest ? -1 : 1;
    return notNegative(v).stream()
        .filter(f -> f.factor(v) == sign)
        .findFirst()
        .map(f -> Affine.of(v).plus(f, -sign))
        .or(() -> zero(v).stream().findFirst().map(f -> Affine.of(v).minus(f)));
  }

  // Intervals of forms

  /** Notes that an array's sizes are sizes. */
  void bound(Var v) {
    for (var d : v.type().dims()) {
      if (d instanceof Var size) {
        sizes.add(size);
      }
    }
  }

  /** Notes that the counter starts at 0 and grows by one in each iteration. */
  void counts(Var counter) {
    sizes.add(counter);
    isNotNegative(counter, Affine.of(counter));
  }

  /**
   * The largest, or the smallest, value that the form can have.
   *
   * @throws ArithmeticException if that is more than an i64 holds
   */
  private long extreme(Affine form, boolean most, int depth) {
    long sum = form.constant();
    for (var t : form.terms().entrySet()) {
      long f = t.getValue();
      var v = t.getKey();
      long at = f > 0 == most ? high(v, depth) : low(v, depth);
      sum = Math.addExact(sum, Math.multiplyExact(f, at));
    }
    return sum;
  }

  private long high(Var v, int depth) {
    long high = Interval.of(v.type().elemPrim()).high();
    if (sizes.contains(v)) {
      high = Math.min(high, Sizes.LONGEST);
    }
    for (var f : depth < MOST_DEPTH ? notNegative(v) : Set.<Affine>of()) {
      if (f.factor(v) == -1) {
        try {
          high = Math.min(high, extreme(f.plus(Affine.of(v)), true, depth + 1));
        } catch (ArithmeticException tooLarge) {
          // this inequality tells nothing
        }
      }
    }
    return high;
  }

  private long low(Var v, int depth) {
    long low = sizes.contains(v) ? 0 : Interval.of(v.type().elemPrim()).low();
    for (var f : depth < MOST_DEPTH ? notNegative(v) : Set.<Affine>of()) {
      if (f.factor(v) == 1) {
        try {
          low = Math.max(low, -extreme(f.minus(Affine.of(v)), true, depth + 1));
        } catch (ArithmeticException tooLarge) {
          // this inequality tells nothing
        }
      }
    }
    return low;
  }

  /** Whether a variable of that type holds every value that the form can have. */
  boolean fits(Affine form, Prim prim) {
    try {
      long low = extreme(form, false, 0);
      long high = extreme(form, true, 0);
      return prim == Prim.I64 || low >= Integer.MIN_VALUE && high <= Integer.MAX_VALUE;
    } catch (ArithmeticException tooLarge) {
      return false;
    }
  }

  void isNotNegative(Var about, Affine form) {
    notNegative.computeIfAbsent(about, _ -> new LinkedHashSet<>()).add(form);
  }

  void isZero(Var about, Affine form) {
    zero.put(about, form);
  }

  /** Notes that the variable runs from 0 up to below the bound. */
  void range(Var i, Atom bound) {
    counts(i);
    try {
      isNotNegative(i, of(bound).minus(Affine.of(i)).plus(-1));
    } catch (ArithmeticException tooLarge) {
      // nothing is known of its end then
    }
  }

  /** Notes the ranges of a function's parameters that run over 0, 1, 2, …. */
  void iotas(List<Var> inputs, List<Var> params) {
    for (int k = 0; k < inputs.size(); k++) {
      if (lengths.containsKey(inputs.get(k))) {
        range(params.get(k), lengths.get(inputs.get(k)));
      }
    }
  }

  /** Takes note of a loop and what is in it. */
  void defineAll(Loop loop) {
    if (loop.form() instanceof For(var i, var bound)) {
      range(i, bound);
    }
    defineAll(loop.body());
  }

  private void defineAll(Body body) {
    for (var stm : body.stms()) {
      define(stm);
      switch (stm.exp()) {
        case Loop inner -> defineAll(inner);
        case If e -> {
          defineAll(e.then());
          defineAll(e.otherwise());
        }
        default -> {}
      }
    }
  }

  /** Takes note of what a statement computes. */
  void define(Stm stm) {
    stm.pattern().forEach(this::bound);
    if (stm.pattern().size() != 1) {
      return;
    }
    var v = stm.var();
    if (stm.exp() instanceof Iota i && i.isCounter()) {
      lengths.put(v, i.n());
    }
    try {
      if (v.type().equals(Type.BOOL)) {
        condition(v, stm);
      } else if (v.type().isScalar() && isIndex(v.type().elemPrim())) {
        integer(v, stm);
      }
    } catch (ArithmeticException tooLarge) {
      forms.remove(v);
      conditions.remove(v);
    }
  }

  private static boolean isIndex(Prim type) {
    return type == Prim.I64 || type == Prim.I32;
  }

  private void integer(Var v, Stm stm) {
    switch (stm.exp()) {
      case Alias(var x) -> set(v, of(x));
      case Convert(var to, var x)
          when isIndex(x.type().elemPrim()) && to.byteSize() >= x.type().elemPrim().byteSize() ->
          set(v, of(x));
      case Binary(var op, var x, var y) -> binary(v, op, x, y);
      default -> {}
    }
  }

  private void binary(Var v, BinaryOp op, Atom x, Atom y) {
    var self = Affine.of(v);
    switch (op) {
      case ADD -> set(v, of(x).plus(of(y)));
      case SUB -> set(v, of(x).minus(of(y)));
      case MUL -> {
        if (of(y).isConstant()) {
          set(v, of(x).times(of(y).constant()));
        } else if (of(x).isConstant()) {
          set(v, of(y).times(of(x).constant()));
        }
      }
      case MIN -> {
        isNotNegative(v, of(x).minus(self));
        isNotNegative(v, of(y).minus(self));
      }
      case MAX -> {
        isNotNegative(v, self.minus(of(x)));
        isNotNegative(v, self.minus(of(y)));
      }
      case MOD -> {
        if (y instanceof Const(var c) && c.asLong() > 0) {
          isNotNegative(v, self);
          isNotNegative(v, Affine.of(c.asLong() - 1).minus(self));
        }
      }
      case DIV -> {
        if (y instanceof Const(var c) && c.asLong() > 0) {
          var rest = of(x).plus(self, -c.asLong());
          isNotNegative(v, rest);
          isNotNegative(v, Affine.of(c.asLong() - 1).minus(rest));
        }
      }
      default -> {}
    }
  }

  private void set(Var v, Affine form) {
    if (fits(form, v.type().elemPrim())) {
      forms.put(v, form);
    }
  }

  private void condition(Var v, Stm stm) {
    switch (stm.exp()) {
      case Alias(Var x) when conditions.containsKey(x) -> conditions.put(v, conditions.get(x));
      case Compare(var op, var x, var y) when isIndex(x.type().elemPrim()) ->
          conditions.put(v, comparison(op, of(y).minus(of(x))));
      case Unary(var op, Var x) when op == UnaryOp.NOT ->
          conditions.put(v, new Meaning(where(x, false), where(x, true)));
      case Binary(var op, var x, var y) when op == BinaryOp.AND ->
          conditions.put(v, new Meaning(both(where(x, true), where(y, true)), List.of()));
      case Binary(var op, var x, var y) when op == BinaryOp.OR ->
          conditions.put(v, new Meaning(List.of(), both(where(x, false), where(y, false))));
      default -> {}
    }
  }

  /**
   * What a comparison means, given its right side less its left side.
   *
   * @param gap right side less left side
   */
  private Meaning comparison(CompareOp op, Affine gap) {
    var reverse = gap.times(-1);
    return switch (op) {
      case EQ -> {
        var sides = new ArrayList<Affine>();
        List.of(gap, reverse).stream().filter(this::isKnown).forEach(f -> sides.add(f.plus(-1)));
        yield new Meaning(List.of(gap, reverse), sides);
      }
      case LT -> new Meaning(List.of(gap.plus(-1)), List.of(reverse));
      case LE -> new Meaning(List.of(gap), List.of(reverse.plus(-1)));
    };
  }

  private boolean isKnown(Affine form) {
    return form.terms().keySet().stream().anyMatch(v -> notNegative(v).contains(form));
  }

  private static List<Affine> both(List<Affine> x, List<Affine> y) {
    var all = new ArrayList<>(x);
    all.addAll(y);
    return all;
  }
}
