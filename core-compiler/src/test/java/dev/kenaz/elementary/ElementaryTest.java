package dev.kenaz.elementary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.value.Prim;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Compares the elementary functions with references that have more digits: results of f32 with
 * {@link StrictMath}, and those of f64 with {@link Precise}. The property {@code kenaz.arguments}
 * says how many random arguments of each function are tried.
 */
final class ElementaryTest {
  private static final int COUNT = Integer.getInteger("kenaz.arguments", 10_000);

  private static final MathContext EIGHT_DIGITS = new MathContext(8);

  private static final double[] SPECIAL = {
    0.0,
    -0.0,
    1,
    -1,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    -Double.MIN_VALUE,
    Double.MIN_NORMAL,
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MIN_NORMAL,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Double.MAX_VALUE,
    -Double.MAX_VALUE,
    -745.2,
    -745.1,
    -103.98,
    -103.9,
    709.79,
    709.78,
    88.73,
    88.72,
    710.5
  };

  /** Returns arguments of all sizes, and many near those where a function is steep or vanishes. */
  private static double[] arguments(Prim prim) {
    var random = new SplittableRandom(7);
    var all = new double[COUNT + SPECIAL.length];
    System.arraycopy(SPECIAL, 0, all, 0, SPECIAL.length);
    for (int k = SPECIAL.length; k < all.length; k++) {
      double u = random.nextDouble();
      double sign = random.nextBoolean() ? 1 : -1;
      double x =
          switch (k % 8) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> Float.intBitsToFloat(random.nextInt());
            case 2 -> 800 * u;
            case 3 -> 1 + sign * u * Math.scalb(1, -random.nextInt(30));
            case 4 -> Math.PI / 2 * random.nextInt(1 << random.nextInt(20));
            case 5 -> Math.scalb(u, -random.nextInt(60));
            case 6 -> 3 * u;
            default -> Math.log(2) / 2 * random.nextInt(300) + Math.scalb(u, -20);
          };
      all[k] = x * sign;
    }
    if (prim == Prim.F32) {
      for (int k = 0; k < all.length; k++) {
        all[k] = (float) all[k];
      }
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(names = {"EXP", "EXP2", "EXP10", "EXPM1", "LOG", "LOG1P", "SIN", "COS", "TANH"})
  void singlesAreWithinOneUnit(Elementary function) {
    double worst = 0;
    double where = 0;
    for (double x : arguments(Prim.F32)) {
      double expected = strict(function, x);
      float actual = (float) function.of(Prim.F32, x);
      if (isSpecial((float) expected)) {
        assertEquals((float) expected, actual, () -> function + " of " + x);
        continue;
      }
      double error = Math.abs(actual - expected) / Math.ulp((float) expected);
      if (error > worst) {
        worst = error;
        where = x;
      }
    }
    assertWithinOneUnit(function + " of f32", worst, where);
  }

  @ParameterizedTest
  @EnumSource(names = {"EXP", "EXP2", "EXP10", "EXPM1", "LOG", "LOG1P", "SIN", "COS", "TANH"})
  void doublesAreWithinOneUnit(Elementary function) {
    double worst = 0;
    double where = 0;
    for (double x : arguments(Prim.F64)) {
      double near = strict(function, x);
      double actual = function.of(Prim.F64, x);
      boolean large =
          Math.abs(x) > 0x1p30 && (function == Elementary.SIN || function == Elementary.COS);
      if (isSpecial(near) || near == x && Math.abs(x) < 1e-12 || large || Math.abs(near) == 1) {
        assertEquals(near, actual, () -> function + " of " + x);
        continue;
      }
      var expected = Precise.of(function, x);
      var difference = new BigDecimal(actual).subtract(expected).abs();
      double error = difference.divide(new BigDecimal(Math.ulp(near)), EIGHT_DIGITS).doubleValue();
      if (error > worst) {
        worst = error;
        where = x;
      }
    }
    assertWithinOneUnit(function + " of f64", worst, where);
  }

  /** Powers of all sizes, and many of bases near one, which have large exponents. */
  @Test
  void powersAreWithinOneUnit() {
    var random = new SplittableRandom(9);
    double worst = 0;
    var where = "";
    for (int k = 0; k < COUNT; k++) {
      double spread = Math.scalb(1, -random.nextInt(40));
      double x =
          k % 2 == 0
              ? Math.scalb(1 + random.nextDouble(), random.nextInt(-900, 900))
              : 1 + spread * (random.nextDouble() - 0.5);
      double largest = 1000 / Math.max(1e-12, Math.abs(Math.log(x) / Math.log(2)));
      double y = largest * (2 * random.nextDouble() - 1) * (k % 3 == 0 ? 0.01 : 0.99);
      double near = StrictMath.pow(x, y);
      double actual = Elementary.pow(x, y);
      if (isSpecial(near)) {
        assertEquals(near, actual, x + " ** " + y);
        continue;
      }
      var difference = new BigDecimal(actual).subtract(Precise.pow(x, y)).abs();
      double error = difference.divide(new BigDecimal(Math.ulp(near)), EIGHT_DIGITS).doubleValue();
      if (error > worst) {
        worst = error;
        where = x + " ** " + y;
      }
    }
    var message = "off by " + worst + " units: " + where;
    assertTrue(worst < 0.75, message);
  }

  @Test
  void powersOfSpecialNumbers() {
    for (double x : SPECIAL) {
      for (double y : SPECIAL) {
        double expected = Elementary.strictPow(x, y);
        double actual = Elementary.pow(x, y);
        assertTrue(
            Math.abs(expected - actual) <= 1e-15 * Math.abs(expected)
                || Double.compare(expected, actual) == 0,
            x + " ** " + y + " is " + actual);
      }
    }
  }

  /** Roundings and signs are exact. */
  @ParameterizedTest
  @EnumSource(names = {"FLOOR", "CEIL", "ROUND", "TRUNC", "SGN"})
  void roundingsAreExact(Elementary function) {
    for (var prim : List.of(Prim.F64, Prim.F32)) {
      for (double x : arguments(prim)) {
        for (double y : new double[] {x, Math.rint(x) + 0.5, Math.rint(x), x * 1e-3}) {
          double argument = prim == Prim.F32 ? (float) y : y;
          assertEquals(strict(function, argument), function.of(prim, argument), "of " + argument);
        }
      }
    }
  }

  private static boolean isSpecial(double y) {
    return Double.isNaN(y) || Double.isInfinite(y) || y == 0;
  }

  private static void assertWithinOneUnit(String what, double worst, double where) {
    assertTrue(worst < 1, () -> what + " is off by " + worst + " units at " + where);
  }

  private static double strict(Elementary function, double x) {
    return switch (function) {
      case EXP -> StrictMath.exp(x);
      case EXP2 -> StrictMath.pow(2, x);
      case EXP10 -> StrictMath.pow(10, x);
      case EXPM1 -> StrictMath.expm1(x);
      case LOG -> StrictMath.log(x);
      case LOG1P -> StrictMath.log1p(x);
      case SIN -> StrictMath.sin(x);
      case COS -> StrictMath.cos(x);
      case TANH -> StrictMath.tanh(x);
      case FLOOR -> StrictMath.floor(x);
      case CEIL -> StrictMath.ceil(x);
      case ROUND -> StrictMath.rint(x);
      case TRUNC -> x < 0 ? StrictMath.ceil(x) : StrictMath.floor(x);
      case SGN -> Math.signum(x);
      default -> throw new IllegalArgumentException(function.toString());
    };
  }
}
