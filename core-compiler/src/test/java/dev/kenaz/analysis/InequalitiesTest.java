package dev.kenaz.analysis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Names;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.value.Prim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * {@link Inequalities}, {@link Affine} forms and {@link Interval}s, by trying all small numbers.
 */
final class InequalitiesTest {
  private static final int MOST = 3;
  private final Var x = Names.fresh("x", Type.I64);
  private final Var y = Names.fresh("y", Type.I64);

  private Affine any(Random random) {
    return Affine.of(random.nextInt(-6, 7))
        .plus(Affine.of(x), random.nextInt(-3, 4))
        .plus(Affine.of(y), random.nextInt(-3, 4));
  }

  private long at(Affine form, long i, long j) {
    return form.constant() + form.factor(x) * i + form.factor(y) * j;
  }

  private boolean anywhere(Predicate<long[]> holds) {
    for (long i = -MOST; i <= MOST; i++) {
      for (long j = -MOST; j <= MOST; j++) {
        if (holds.test(new long[] {i, j})) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void whatIsRefutedHasNoSolution() {
    int refuted = 0;
    for (int seed = 0; seed < 2000; seed++) {
      var random = new Random(seed);
      var system = new Inequalities();
      for (var v : List.of(x, y)) {
        system.notNegative(Affine.of(MOST).minus(Affine.of(v)));
        system.notNegative(Affine.of(MOST).plus(Affine.of(v)));
      }
      var notNegative = new ArrayList<Affine>();
      var zero = new ArrayList<Affine>();
      for (int k = random.nextInt(1, 4); k > 0; k--) {
        var form = any(random);
        if (random.nextInt(3) == 0) {
          zero.add(form);
          system.equal(form);
        } else {
          notNegative.add(form);
          system.notNegative(form);
        }
      }
      boolean solved =
          anywhere(
              at ->
                  notNegative.stream().allMatch(f -> at(f, at[0], at[1]) >= 0)
                      && zero.stream().allMatch(f -> at(f, at[0], at[1]) == 0));
      if (system.areRefuted()) {
        refuted++;
        assertFalse(solved, "seed " + seed);
      }
    }
    assertTrue(refuted > 300, refuted + " are refuted");
  }

  @Test
  void numbersThatGetTooLargeAreTold() {
    var large = Affine.of(x).times(Long.MAX_VALUE);
    assertThrows(ArithmeticException.class, () -> large.plus(large));
    assertThrows(ArithmeticException.class, () -> Affine.of(Long.MAX_VALUE).plus(1));
    assertTrue(large.minus(large).terms().equals(Map.of()));
  }

  @Test
  void typesBoundTheirValues() {
    for (var prim : List.of(Prim.I8, Prim.U8, Prim.I16, Prim.U16, Prim.I32, Prim.U32)) {
      long n = 1L << 8 * prim.byteSize();
      assertTrue(
          Interval.of(prim)
              .equals(prim.isSigned() ? new Interval(-n / 2, n / 2 - 1) : new Interval(0, n - 1)));
    }
    assertTrue(Interval.of(Prim.BOOL).equals(new Interval(0, 1)));
    assertTrue(Interval.of(Prim.U64).equals(Interval.ALL), "as an i64 it may be negative");
  }
}
