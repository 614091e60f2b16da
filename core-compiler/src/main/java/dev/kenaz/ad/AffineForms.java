package dev.kenaz.ad;

import dev.kenaz.analysis.Affine;
import dev.kenaz.analysis.Integers;
import dev.kenaz.analysis.UniformArrays;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CompareOp;
import dev.kenaz.ir.Exp;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Collects what is known of a program's integers, statement by statement. Every variable is bound
 * once, so nothing is ever taken back.
 */
final class AffineForms extends Integers {
  private static final int MOST_STEPS = 16;

  private final Map<Var, Exp> statements = new HashMap<>();
  private final Map<Var, Affine> forms = new HashMap<>();
  private final Map<Var, List<Affine>> notNegative = new HashMap<>();
  private final Map<Var, Affine> zero = new HashMap<>();

  /** This holds the sizes of arrays and the counters of iterations. */
  private final Set<Var> sizes = new HashSet<>();

  private final UniformArrays uniform = new UniformArrays();

  /** Where the values of a read are kept, if the loops around it don't index them. */
  private final Map<Var, Counters.Place> places = new HashMap<>();

  @Override
  protected Exp exp(Var v) {
    return statements.get(v);
  }

  @Override
  protected boolean isSize(Var v) {
    return sizes.contains(v);
  }

  @Override
  protected List<Affine> noted(Var v) {
    return notNegative.getOrDefault(v, List.of());
  }

  @Override
  protected Affine form(Var v, int steps) {
    return forms.getOrDefault(v, Affine.of(v));
  }

  @Override
  protected boolean isNotNegative(Affine form) {
    return form.terms().keySet().stream().anyMatch(v -> inequalities(v).contains(form));
  }

  UniformArrays uniform() {
    return uniform;
  }

  /** Returns the length of an array that holds 0, 1, 2, …. */
  Optional<Atom> countsTo(Var array) {
    return exp(array) instanceof Iota i && i.isCounter() ? Optional.of(i.n()) : Optional.empty();
  }

  /** Returns what is known to be zero where the variable is bound, if anything. */
  List<Affine> zero(Var v) {
    return zero.containsKey(v) ? List.of(zero.get(v)) : List.of();
  }

  void place(Var read, Counters.Place place) {
    places.put(read, place);
  }

  Optional<Counters.Place> place(Var read) {
    return Optional.ofNullable(places.get(read));
  }

  /**
   * Returns the most that the integer can be for any values of some variables, in terms of others.
   */
  Optional<Affine> most(Atom x, Set<Var> unknown) {
    try {
      var form = form(x);
      for (int step = 0; step < MOST_STEPS; step++) {
        var open = form.terms().keySet().stream().filter(unknown::contains).findFirst();
        if (open.isEmpty()) {
          // x itself is a number, so the form, which is at least as large, can't be too small
          return end(form, true).isPresent() ? Optional.of(form) : Optional.empty();
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
    return inequalities(v).stream()
        .filter(f -> f.factor(v) == sign)
        .findFirst()
        .map(f -> Affine.of(v).plus(f, -sign))
        .or(() -> zero(v).stream().findFirst().map(f -> Affine.of(v).minus(f)));
  }

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

  private void isNotNegative(Var about, Affine form) {
    var all = notNegative.computeIfAbsent(about, _ -> new ArrayList<>());
    if (!all.contains(form)) {
      all.add(form);
    }
  }

  void isZero(Var about, Affine form) {
    zero.put(about, form);
  }

  /** Notes that the variable runs from 0 up to below the bound. */
  void range(Var i, Atom bound) {
    counts(i);
    where(CompareOp.LT, i, bound, true).forEach(f -> isNotNegative(i, f));
  }

  /** Notes the ranges of a function's parameters that run over 0, 1, 2, …. */
  void iotas(List<Var> inputs, List<Var> params) {
    for (int k = 0; k < inputs.size(); k++) {
      var param = params.get(k);
      countsTo(inputs.get(k)).ifPresent(n -> range(param, n));
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
    statements.put(stm.var(), stm.exp());
    forms.put(stm.var(), formOfStatement(stm.var(), 0));
    uniform.define(stm);
  }
}
