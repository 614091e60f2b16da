package dev.kenaz.analysis;

import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * This is a conjunction of {@code form >= 0} and {@code form = 0} over the integers. This class
 * tries to prove that nothing satisfies it: equations are solved for variables with factor 1 or -1,
 * or refuted by the greatest common divisor of their factors; the other variables are eliminated by
 * Fourier and Motzkin's method, where every inequality is tightened to the integers. No proof
 * doesn't mean that there is a solution.
 */
public final class Inequalities {
  /** If there are more inequalities than this, the proof is given up. */
  private static final int MOST = 300;

  private final List<Affine> equal = new ArrayList<>();

  /** An inequality is mapped from its terms to the least of its constants. */
  private Map<Map<Var, Long>, Long> notNegative = new HashMap<>();

  private boolean refuted;

  public void notNegative(Affine form) {
    long g = divisor(form);
    if (g == 0) {
      refuted |= form.constant() < 0;
      return;
    }
    var terms = new HashMap<Var, Long>();
    form.terms().forEach((v, f) -> terms.put(v, f / g));
    notNegative.merge(terms, Math.floorDiv(form.constant(), g), Math::min);
  }

  public void equal(Affine form) {
    equal.add(form);
  }

  public boolean areRefuted() {
    try {
      solve();
      while (!refuted && !notNegative.isEmpty() && notNegative.size() <= MOST) {
        eliminate();
      }
      return refuted;
    } catch (ArithmeticException tooLarge) {
      return false;
    }
  }

  private static long divisor(Affine form) {
    long g = 0;
    for (long f : form.terms().values()) {
      g = gcd(g, Math.absExact(f));
    }
    return g;
  }

  private static long gcd(long x, long y) {
    return y == 0 ? x : gcd(y, x % y);
  }

  private void solve() {
    while (!equal.isEmpty() && !refuted) {
      var form = equal.removeLast();
      long g = divisor(form);
      if (g == 0 ? form.constant() != 0 : form.constant() % g != 0) {
        refuted = true;
      } else if (g != 0) {
        solve(new Affine(form.constant() / g, divided(form.terms(), g)));
      }
    }
  }

  private static Map<Var, Long> divided(Map<Var, Long> terms, long by) {
    var result = new HashMap<Var, Long>();
    terms.forEach((v, f) -> result.put(v, f / by));
    return result;
  }

  private void solve(Affine form) {
    for (var t : form.terms().entrySet()) {
      long f = t.getValue();
      if (Math.abs(f) == 1) {
        var v = t.getKey();
        var value = form.plus(Affine.of(v), -f).times(-f);
        equal.replaceAll(e -> e.with(v, value));
        var before = notNegative;
        notNegative = new HashMap<>();
        before.forEach((terms, c) -> notNegative(new Affine(c, terms).with(v, value)));
        return;
      }
    }
    notNegative(form);
    notNegative(form.times(-1));
  }

  /**
   * Eliminates the variable that takes the fewest inequalities: what follows from these replaces
   * them.
   */
  private void eliminate() {
    var lower = new HashMap<Var, Integer>();
    var upper = new HashMap<Var, Integer>();
    for (var terms : notNegative.keySet()) {
      terms.forEach((v, f) -> (f > 0 ? lower : upper).merge(v, 1, Integer::sum));
    }
    Var best = null;
    long least = Long.MAX_VALUE;
    for (var terms : notNegative.keySet()) {
      for (var v : terms.keySet()) {
        long made = (long) lower.getOrDefault(v, 0) * upper.getOrDefault(v, 0);
        if (made < least || made == least && v.tag() < best.tag()) {
          least = made;
          best = v;
        }
      }
    }
    eliminate(best);
  }

  private void eliminate(Var v) {
    var below = new ArrayList<Affine>();
    var above = new ArrayList<Affine>();
    var before = notNegative;
    notNegative = new HashMap<>();
    before.forEach(
        (terms, c) -> {
          var form = new Affine(c, terms);
          long f = form.factor(v);
          if (f == 0) {
            notNegative(form);
          } else {
            (f > 0 ? below : above).add(form);
          }
        });
    for (var x : below) {
      above.forEach(y -> notNegative(x.times(-y.factor(v)).plus(y, x.factor(v))));
    }
  }
}
