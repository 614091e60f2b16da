package dev.kenaz.elementary;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * Computes elementary functions with 60 digits: the slow judge of the fast ones. Arguments are
 * finite, in the function's domain, and not so small that the result is the first term of its
 * series.
 */
final class Precise {
  private static final MathContext DIGITS = new MathContext(60);
  private static final BigDecimal ONE = BigDecimal.ONE;
  private static final BigDecimal PI =
      new BigDecimal(
          "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803");

  private Precise() {}

  static BigDecimal of(Elementary function, double argument) {
    var x = new BigDecimal(argument);
    return switch (function) {
      case EXP -> exp(x);
      case EXP2 -> exp(x.multiply(log(new BigDecimal(2), 0.6931471805599453), DIGITS));
      case EXP10 -> exp(x.multiply(log(BigDecimal.TEN, 2.302585092994046), DIGITS));
      case EXPM1 -> expm1(x);
      case LOG -> log(x, StrictMath.log(argument));
      case LOG1P -> log(x.add(ONE), StrictMath.log1p(argument));
      case TANH -> {
        var t = expm1(x.multiply(BigDecimal.TWO));
        yield t.divide(t.add(BigDecimal.TWO), DIGITS);
      }
      case SIN -> sine(x);
      case COS -> sine(x.add(PI.divide(BigDecimal.TWO)));
      default -> throw new IllegalArgumentException(function.toString());
    };
  }

  /** Returns the power of a positive number. */
  static BigDecimal pow(double x, double y) {
    return exp(log(new BigDecimal(x), StrictMath.log(x)).multiply(new BigDecimal(y), DIGITS));
  }

  /** Sums the exponential's series of a small part, and squares the result. */
  private static BigDecimal exp(BigDecimal x) {
    int halvings = Math.max(0, 4 + (int) Math.ceil(Math.log(1 + Math.abs(x.doubleValue())) / 0.69));
    var y = expm1Series(x.divide(BigDecimal.TWO.pow(halvings), DIGITS)).add(ONE);
    for (int k = 0; k < halvings; k++) {
      y = y.multiply(y, DIGITS);
    }
    return y;
  }

  private static BigDecimal expm1(BigDecimal x) {
    return x.abs().compareTo(ONE) < 0 ? expm1Series(x) : exp(x).subtract(ONE);
  }

  private static BigDecimal expm1Series(BigDecimal x) {
    var term = x;
    var sum = x;
    for (int k = 2; k < 50; k++) {
      term = term.multiply(x, DIGITS).divide(new BigDecimal(k), DIGITS);
      sum = sum.add(term, DIGITS);
    }
    return sum;
  }

  /** Corrects a logarithm that is known to 15 digits. */
  private static BigDecimal log(BigDecimal x, double near) {
    var y = new BigDecimal(near);
    var e = x.multiply(exp(y.negate()), DIGITS).subtract(ONE);
    var square = e.multiply(e, DIGITS);
    var cube = square.multiply(e, DIGITS);
    return y.add(e)
        .subtract(square.divide(BigDecimal.TWO, DIGITS))
        .add(cube.divide(new BigDecimal(3), DIGITS));
  }

  private static BigDecimal sine(BigDecimal x) {
    var turns = x.divide(PI, 0, java.math.RoundingMode.HALF_EVEN);
    var r = x.subtract(turns.multiply(PI));
    var minus = r.multiply(r, DIGITS).negate();
    var term = r;
    var sum = r;
    for (int k = 3; k < 60; k += 2) {
      term = term.multiply(minus, DIGITS).divide(new BigDecimal(k * (k - 1)), DIGITS);
      sum = sum.add(term, DIGITS);
    }
    return turns.toBigInteger().testBit(0) ? sum.negate() : sum;
  }
}
