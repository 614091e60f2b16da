package dev.kenaz.ir;

/**
 * Computes the gamma and error functions in double precision, to a few units in the last place.
 *
 * <p>Each table is a Chebyshev fit of our own (made with 50 digits), given as the coefficients of a
 * polynomial in {@code t} from -1 to 1, highest power first.
 */
final class SpecialFunctions {
  // max. relative error 2.56e-21
  private static final double[] ERF = {
    -5.16472878942302e-16,
    1.4548169783352384e-14,
    -3.7910973708931526e-13,
    9.167606748998164e-12,
    -2.03524938661036e-10,
    4.115800597661665e-09,
    -7.511569160710623e-08,
    1.2233827383524026e-06,
    -1.7537169441492004e-05,
    0.00021751715604160108,
    -0.0022854855611440673,
    0.019852496688983708,
    -0.1405360890227171,
    0.9654687386698673
  };
  // max. relative error 4.67e-20
  private static final double[] ERFC = {
    -1.709764579033045e-11,
    -8.445445616918385e-11,
    6.879496575322766e-11,
    8.628982700625259e-10,
    5.456048270024943e-10,
    -4.05502965020515e-09,
    -6.969200929969934e-09,
    9.626162221117752e-09,
    4.042351524124311e-08,
    8.218001478149693e-09,
    -1.6379777574008172e-07,
    -2.2563448315334616e-07,
    5.046609801819672e-07,
    1.5667942335038871e-06,
    -1.0818863364099182e-06,
    -8.738247942147536e-06,
    3.8652669653988163e-07,
    4.797425274465789e-05,
    8.595094350050957e-06,
    -0.0002890525740954161,
    4.015258269971189e-05,
    0.0019344815915444435,
    -0.002622280500751099,
    -0.010500720721572036,
    0.05231957978732254,
    -0.11449313228520797,
    0.14490634075189418,
    -0.07130621000898987,
    -0.13046248372294011,
    1.2588036258139463
  };
  // max. relative error 3.15e-18
  private static final double[] LGAMMA1 = {
    4.3435418361165637e-10,
    -8.950101417557099e-10,
    -1.4117178809550816e-09,
    2.901580460903526e-09,
    5.0263289416346195e-09,
    -1.0369093248289851e-08,
    -6.43695866612875e-10,
    1.179060537396483e-09,
    2.7166352031228983e-08,
    -5.671275187205212e-08,
    9.159251884407592e-08,
    -1.930073007583108e-07,
    4.257058880666239e-07,
    -9.013866487844909e-07,
    1.9067327863009197e-06,
    -4.067807983828033e-06,
    8.720000104874283e-06,
    -1.8782677728880446e-05,
    4.070009102748318e-05,
    -8.882222800602594e-05,
    0.00019550675582846567,
    -0.0004348994819646889,
    0.0009805442929744243,
    -0.0022507796366272514,
    0.005298661781175404,
    -0.012961596939305287,
    0.033822601053472984,
    -0.10017140859663268,
    0.4112335167120566,
    -0.5772156649015329
  };
  // max. relative error 3.0e-19
  private static final double[] LGAMMA2 = {
    1.2167067542304562e-13,
    -5.116584685713687e-13,
    1.5491338158886129e-12,
    -6.566709534240663e-12,
    2.923176066319201e-11,
    -1.2481202067269968e-10,
    5.339813130999916e-10,
    -2.3043112100202176e-09,
    1.0013314167996967e-08,
    -4.387338974983724e-08,
    1.942529474587772e-07,
    -8.716982450984518e-07,
    3.981793163166481e-06,
    -1.863677987501598e-05,
    9.032844783558553e-05,
    -0.0004615969392917596,
    0.0025726010534730713,
    -0.016838075263299536,
    0.1612335167120566,
    0.42278433509846713
  };
  // max. relative error 1.01e-19
  private static final double[] LGAMMA3 = {
    -5.37982780867003e-14,
    2.4619182569140776e-13,
    -8.615973580670918e-13,
    3.982110856289289e-12,
    -1.9069313734060147e-11,
    8.905592556140105e-11,
    -4.181708799185419e-10,
    1.9837104066254686e-09,
    -9.51036905089867e-09,
    4.619793038181906e-08,
    -2.282290613787504e-07,
    1.1526772791305376e-06,
    -5.99747261842194e-06,
    3.253202193871798e-05,
    -0.0001876129276428829,
    0.0011922366180495123,
    -0.009011035345719032,
    0.10119326914956935,
    0.7627431833011343,
    0.9358019311087253
  };
  // max. relative error 9.52e-19
  private static final double[] GAMMA = {
    -1.420743529591811e-11,
    4.262222028457249e-11,
    -4.26216211088947e-11,
    1.2786323743890479e-10,
    -6.073486906367263e-10,
    1.8220041028737747e-09,
    -5.128375924618212e-09,
    1.5384082326038672e-08,
    -4.6469676482828825e-08,
    1.3938306853004366e-07,
    -4.178133192643162e-07,
    1.252814898212055e-06,
    -3.75498861201985e-06,
    1.1252464220855473e-05,
    -3.363758374630023e-05,
    0.00010092814883874258,
    -0.0002968901215703209,
    0.0009157859972871906,
    -0.0024225953843678666,
    0.009040334940281114,
    -0.01341185057059658,
    0.10370336342207545,
    0.01616919872444251,
    0.886226925452758
  };

  private static final double HALF_LOG_TWO_PI = 0.91893853320467274178;
  private static final double SQRT_TWO_PI = 2.5066282746310005024;

  private SpecialFunctions() {}

  static double erf(double x) {
    double a = Math.abs(x);
    if (a <= 1) {
      return x * poly(ERF, 2 * x * x - 1);
    }
    return Double.isNaN(x) ? x : Math.copySign(a > 6 ? 1 : 1 - erfcTail(a), x);
  }

  static double erfc(double x) {
    if (Double.isNaN(x)) {
      return x;
    }
    if (x < 0.5) {
      return x < -6 ? 2 : x < -1 ? 2 - erfcTail(-x) : 1 - erf(x);
    }
    return x > 28 ? 0 : erfcTail(x);
  }

  /**
   * {@code (1 + 2x) exp(x^2) erfc(x)} is smooth and nearly constant over {@code t = (x - 2.75) / (x
   * + 2.75)}.
   */
  private static double erfcTail(double x) {
    double square = x * x;
    double low = Math.fma(x, x, -square);
    double scale = StrictMath.exp(-square);
    return (scale - scale * low) * poly(ERFC, (x - 2.75) / (x + 2.75)) / (1 + 2 * x);
  }

  static double gamma(double x) {
    if (Double.isNaN(x) || x == Double.POSITIVE_INFINITY) {
      return x;
    }
    if (x == 0) {
      return 1 / x;
    }
    if (x < 0.5) {
      if (x == Math.rint(x)) {
        return Double.NaN;
      }
      if (Math.abs(x) < 0x1p-60) {
        return 1 / x;
      }
      // the reflection formula; in two divisions, for the gamma function there overflows first
      double s = sinPi(x);
      return x < -170 ? Math.PI / s / gammaOver(1 - x) : Math.PI / (s * gamma(1 - x));
    }
    if (x < 16) {
      double product = 1;
      double r = x;
      while (r > 2) {
        r -= 1;
        product *= r;
      }
      return r < 1 ? gamma1(r + 1) / r : product * gamma1(r);
    }
    return x > 172 ? Double.POSITIVE_INFINITY : gammaOver(x);
  }

  /** Returns the gamma function of a number from 1 to 2. */
  private static double gamma1(double x) {
    return poly(GAMMA, 2 * x - 3);
  }

  /** Stirling's formula; the power in two halves, so that only the result can overflow. */
  private static double gammaOver(double x) {
    double half = StrictMath.pow(x, 0.5 * x - 0.25);
    return SQRT_TWO_PI * half * StrictMath.exp(-x) * half * StrictMath.exp(stirling(x));
  }

  /** Returns the logarithm of the gamma function's absolute value; it is infinite at the poles. */
  static double lgamma(double x) {
    if (Double.isNaN(x) || Double.isInfinite(x)) {
      return Math.abs(x);
    }
    if (x <= 0) {
      if (x == Math.rint(x)) {
        return Double.POSITIVE_INFINITY;
      }
      if (x > -0x1p-60) {
        return -StrictMath.log(-x);
      }
      return StrictMath.log(Math.PI / Math.abs(sinPi(x) * x)) - lgamma(-x);
    }
    if (x < 0.5) {
      return x < 0x1p-60 ? -StrictMath.log(x) : lgamma(x + 1) - StrictMath.log(x);
    }
    if (x <= 1.5) {
      return x == 1 ? 0 : (x - 1) * poly(LGAMMA1, 2 * (x - 1));
    }
    if (x <= 2.5) {
      return (x - 2) * poly(LGAMMA2, 2 * (x - 2));
    }
    if (x < 12) {
      double product = 1;
      double r = x;
      while (r > 4) {
        r -= 1;
        product *= r;
      }
      double base = poly(LGAMMA3, (r - 3.25) / 0.75);
      return product == 1 ? base : base + StrictMath.log(product);
    }
    return (x - 0.5) * (StrictMath.log(x) - 1) - 0.5 + HALF_LOG_TWO_PI + stirling(x);
  }

  /** Returns the series of Stirling's formula, for x of 12 and more. */
  private static double stirling(double x) {
    double r = 1 / x;
    double q = r * r;
    double s = -691.0 / 360360;
    s = s * q + 1.0 / 1188;
    s = s * q - 1.0 / 1680;
    s = s * q + 1.0 / 1260;
    s = s * q - 1.0 / 360;
    s = s * q + 1.0 / 12;
    return s * r;
  }

  /** Twice the Bernoulli numbers over their factorials are the terms of the asymptotic series. */
  private static final double[] BERNOULLI = {
    1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510
  };

  /**
   * Applies the recurrence up to where the asymptotic series converges to all digits. Negative
   * arguments walk all the way up.
   */
  static double polygamma(int n, double x) {
    if (Double.isNaN(x) || x <= 0 && x == Math.rint(x)) {
      return Double.NaN;
    }
    double factorial = 1;
    for (int k = 2; k <= n; k++) {
      factorial *= k;
    }
    double sign = n % 2 == 0 ? -1 : 1;
    double sum = 0;
    double z = x;
    while (z < 20 + n) {
      sum += sign * factorial / StrictMath.pow(z, n + 1);
      z += 1;
    }
    if (n == 0) {
      sum += StrictMath.log(z) - 0.5 / z;
    } else {
      double below = factorial / n;
      sum += sign * (below / StrictMath.pow(z, n) + factorial / (2 * StrictMath.pow(z, n + 1)));
    }
    double ratio = n == 0 ? 0.5 : factorial * (n + 1) / 2;
    for (int k = 1; k <= BERNOULLI.length; k++) {
      // (2k + n - 1)! / (2k)!
      sum += sign * BERNOULLI[k - 1] * ratio / StrictMath.pow(z, 2 * k + n);
      ratio *= (2.0 * k + n) * (2 * k + n + 1) / ((2.0 * k + 1) * (2 * k + 2));
    }
    return sum;
  }

  /** Returns {@code sin(pi x)}; the reduction of its argument is exact. */
  private static double sinPi(double x) {
    double r = x - 2 * Math.rint(x / 2);
    double a = Math.abs(r);
    double s =
        a <= 0.25 || a >= 0.75
            ? StrictMath.sin(Math.PI * (a > 0.5 ? 1 - a : a))
            : StrictMath.cos(Math.PI * (0.5 - a));
    return Math.copySign(s, r);
  }

  private static double poly(double[] coefficients, double t) {
    double s = coefficients[0];
    for (int i = 1; i < coefficients.length; i++) {
      s = s * t + coefficients[i];
    }
    return s;
  }
}
