package dev.kenaz.fuse;

import dev.kenaz.analysis.Operators;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.Body;
import dev.kenaz.ir.CodeRewriter;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.*;
import dev.kenaz.ir.Lists;
import dev.kenaz.ir.Stm;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Takes out of a sum over the data the factors that are the same for all of the data:
 *
 * <pre>
 *   for n: let b = f n  for i: acc[i] += reduce (+) (map2 (*) a[i] b)
 *     is  t = for n: let b = f n  for j: t[j] += b[j]
 *         acc[i] + reduce (+) (map2 (*) a[i] t)
 * </pre>
 *
 * <p>The reverse derivative of a linear function of parameters, applied to each row of a dataset,
 * is such a sum: each row's adjoint is multiplied by the matrix, and then all are added up.
 * Products distribute over sums, so one product by the sum of the adjoints is enough (001 §6.1 has
 * the same sums as accumulations). It may stand deeper: there may be maps over further indices of
 * the accumulator around both loops, which then are indices of {@code a} and {@code t} too, and the
 * sum may be a term of what is added. Sums of floats are formed in another order, as those of
 * accumulators may be. Without any rows, what is added is the matrix times zero.
 */
final class FactoredSums implements CodeRewriter {
  /** For fewer products by one element it isn't worth keeping another sum. */
  private static final long FEW = 4;

  private final Set<Var> counting = new HashSet<>();

  private FactoredSums() {}

  static CoreProgram run(CoreProgram program) {
    return new FactoredSums().program(program);
  }

  @Override
  public List<Stm> stm(Stm stm) {
    if (stm.exp() instanceof Iota i && i.isCounter() && i.start().type().equals(Type.I64)) {
      counting.add(stm.var());
    }
    var now = CodeRewriter.super.stm(stm).getFirst();
    List<Stm> before = new ArrayList<>();
    List<Stm> after = new ArrayList<>();
    while (now.exp() instanceof WithAcc w
        && found(w, w.body().body(), List.of()).orElse(null) instanceof Found found) {
      var factored = new Factored(now, w, found, new OutsideFactor(w, found.place(), counting));
      before.addAll(factored.before());
      now = factored.accumulation();
      after.addAll(0, factored.after());
    }
    return Lists.concat(before, List.of(now), after);
  }

  /**
   * An update of an accumulator of sums, inside operators.
   *
   * @param path the operators around it, from the outermost in the accumulation
   * @param summed how many of them, from the outermost, have no index of the accumulator; each of
   *     the others has the next one
   * @param stm the update, in the function of the innermost operator
   * @param target the number of the accumulator
   */
  record Place(List<Stm> path, int summed, Stm stm, int target) {
    Screma level(int l) {
      return (Screma) path.get(l).exp();
    }

    /** Returns the body in which the update stands. */
    Body body() {
      return level(path.size() - 1).map().body();
    }

    Atom value() {
      return ((UpdateAcc) stm.exp()).values().getFirst();
    }

    /** Returns the level whose function binds the array; -1 if that is none or the innermost. */
    int binds(Var array) {
      for (int l = 0; l < path.size() - 1; l++) {
        var lambda = level(l).map();
        if (lambda.params().contains(array) || Stm.bound(lambda.body().stms()).contains(array)) {
          return l;
        }
      }
      return -1;
    }
  }

  /**
   * A sum of products that is a term of what is added.
   *
   * @param sum the operator that computes the sum
   * @param result which of its reductions it is
   * @param factor the array that varies, an input of that operator
   * @param shared the innermost level that the factor depends on
   * @param negative whether the sum is subtracted
   */
  record Found(Place place, Stm sum, int result, Var factor, int shared, boolean negative) {
    Screma operator() {
      return (Screma) sum.exp();
    }

    Var term() {
      return sum.pattern().get(operator().scanWidth() + result);
    }
  }

  private Optional<Found> found(WithAcc w, Body body, List<Stm> path) {
    for (var stm : body.stms()) {
      var found =
          switch (stm.exp()) {
            case Screma s when s.inputs().stream().anyMatch(v -> v.type() instanceof Type.Acc) ->
                found(w, s.map().body(), Lists.with(path, stm));
            case UpdateAcc u when path.size() > 1 -> inUpdate(w, stm, u, path);
            default -> Optional.<Found>empty();
          };
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  private Optional<Found> inUpdate(WithAcc w, Stm stm, UpdateAcc u, List<Stm> path) {
    var place = new Place(path, path.size() - u.indices().size(), stm, target(w, u));
    if (place.target < 0 || place.summed < 1 || !ownIndices(w, place)) {
      return Optional.empty();
    }
    var outside = new OutsideFactor(w, place, counting);
    var terms = new Terms(place.body());
    for (var sum : place.body().stms()) {
      if (sum.exp() instanceof Screma s
          && s.reduces().stream().allMatch(r -> r.neutral().size() == 1)) {
        for (int r = 0; r < s.reduces().size(); r++) {
          int sign = terms.sign(place.value(), sum.pattern().get(s.scanWidth() + r));
          var found =
              sign != 0 && Operators.isSum(s.reduces().get(r).op())
                  ? factored(outside, place, sum, r, sign < 0)
                  : Optional.<Found>empty();
          if (found.isPresent()) {
            return found;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Returns the number of the accumulator of sums of numbers, or -1 if it isn't such a one. */
  private static int target(WithAcc w, UpdateAcc u) {
    for (int k = 0; k < w.inputs().size(); k++) {
      var in = w.inputs().get(k);
      if (w.body().params().get(k).type() instanceof Type.Acc acc
          && u.acc().type() instanceof Type.Acc updated
          && acc.token() == updated.token()) {
        boolean sums =
            in.arrays().size() == 1
                && in.arrays().getFirst().type().dims().size() == in.space().size()
                && in.combine().filter(c -> Operators.isSum(c.op())).isPresent();
        return sums ? k : -1;
      }
    }
    return -1;
  }

  /** Whether each index is the number of an iteration of its own operator, and goes everywhere. */
  private boolean ownIndices(WithAcc w, Place place) {
    var indices = ((UpdateAcc) place.stm.exp()).indices();
    for (int d = 0; d < indices.size(); d++) {
      var s = place.level(place.summed + d);
      int at = s.map().params().indexOf(indices.get(d));
      if (at < 0
          || !counting.contains(s.inputs().get(at))
          || !s.width().equals(w.inputs().get(place.target).space().get(d))) {
        return false;
      }
    }
    return true;
  }

  /** Finds the factor of the sum's products that varies, if the other one can be had outside. */
  private static Optional<Found> factored(
      OutsideFactor outside, Place place, Stm sum, int result, boolean negative) {
    var s = (Screma) sum.exp();
    var lambda = s.map();
    var product = OutsideFactor.product(s, result).map(Stm::exp);
    if (!(product.orElse(null) instanceof Binary(_, var x, var y))) {
      return Optional.empty();
    }
    for (var factor : List.of(x, y)) {
      int at = lambda.params().indexOf(factor);
      int shared = at < 0 ? -1 : place.binds(s.inputs().get(at));
      if (shared >= 0
          && Uses.in(lambda.body()).of(factor) == 1
          && Collections.frequency(s.inputs(), s.inputs().get(at)) == 1
          && outside.has(s, factor == x ? y : x)
          && outside.hasSizes(s)
          && !isSmall(place, shared)) {
        var array = s.inputs().get(at);
        return Optional.of(new Found(place, sum, result, array, shared, negative));
      }
    }
    return Optional.empty();
  }

  /** Whether each element of the factor is known to be used in a few products only. */
  private static boolean isSmall(Place place, int shared) {
    long products = 1;
    for (int l = Math.max(shared + 1, place.summed); l < place.path.size(); l++) {
      if (!(place.level(l).width() instanceof Const(var n))) {
        return false;
      }
      products = Math.min(FEW + 1, products * Math.min(FEW + 1, n.asLong()));
    }
    return products <= FEW;
  }
}
