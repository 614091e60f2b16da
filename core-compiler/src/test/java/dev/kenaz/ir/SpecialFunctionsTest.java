package dev.kenaz.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;

/** Against values computed with 40 digits. */
final class SpecialFunctionsTest {
  private static final double[] X = {
    1e-12, 0.1, 0.3, 0.5, 0.75, 0.999, 1.0000001, 1.3, 1.5, 1.99999, 2.0001, 2.5, 2.9, 3.7, 4.5,
    7.1, 11.9, 12.1, 15.9, 16.5, 33.3, 100.5, 170.1, -0.5, -1.3, -10.7
  };
  private static final double[] GAMMA = {
    999999999999.4229, 9.51350769866873, 2.991568987687591, 1.772453850905516,
    1.2254167024651776, 1.0005782056293586, 0.9999999422784434, 0.8974706963062772,
    0.886226925452758, 0.999995772197833, 1.0000422825519948, 1.329340388179137,
    1.827355080624036, 4.170651783796604, 11.631728396567448, 868.9568588006398,
    31279623.921386234, 50983227.84411616, 994487349969.1031, 5189998453040.125,
    7.487577596522633e+35, 9.320963104082716e+156, 7.132847110061827e+304, -3.544907701811032,
    3.328347006788609, -2.0163855047883623e-07
  };
  private static final double[] LGAMMA = {
    27.63102111592797, 2.252712651734206, 1.0957979948180756, 0.5723649429247001,
    0.20328095143129538, 0.0005780385328913802, -5.772155829918507e-08, -0.10817480950786047,
    -0.12078223763524522, -4.227811104241674e-06, 4.2281658112919945e-05, 0.2846828704729192,
    0.6028696102493114, 1.428072326665388, 2.4537365708424423, 6.7672934793847705,
    17.25847745059552, 17.74700727079874, 27.625493215168692, 29.277754515040815,
    82.60372358165495, 361.4355404677776, 701.9505787390856, 1.2655121234846454,
    1.2024757863901114, -15.416789096416636
  };
  private static final double[] XE = {
    -7, -2.5, -1.01, -0.7, -0.2, 1e-09, 0.1, 0.49, 0.51, 0.9, 1.0, 1.1, 1.9, 2.7, 3.3, 5.5, 6.1,
    10.0, 20.0, 26.0
  };
  private static final double[] ERF = {
    -1.0,
    -0.999593047982555,
    -0.8468104962282768,
    -0.6778011938374184,
    -0.22270258921047847,
    1.1283791670955127e-09,
    0.1124629160182849,
    0.511668261188523,
    0.5292436198411704,
    0.7969082124228322,
    0.8427007929497149,
    0.8802050695740817,
    0.9927904292352575,
    0.9998656672600594,
    0.9999969422902035,
    0.9999999999999927,
    1.0,
    1.0,
    1.0,
    1.0
  };
  private static final double[] ERFC = {
    2.0,
    1.999593047982555,
    1.8468104962282768,
    1.6778011938374184,
    1.2227025892104784,
    0.9999999988716208,
    0.887537083981715,
    0.4883317388114769,
    0.4707563801588296,
    0.20309178757716786,
    0.15729920705028513,
    0.11979493042591827,
    0.0072095707647425325,
    0.0001343327399405242,
    3.0577097964381654e-06,
    7.357847917974398e-15,
    6.3146021501937184e-18,
    2.088487583762545e-45,
    5.395865611607901e-176,
    5.663192408856143e-296
  };
  private static final double[] XP = {-3.3, -0.5, 0.01, 0.5, 1.0, 1.4616, 2.0, 5.5, 30.0};
  private static final double[] PSI0 = {
    3.620353460592126, 0.03648997397857652, -100.56088545786868, -1.9635100260214235,
    -0.5772156649015329, -3.110625123034165e-05, 0.42278433509846713, 1.6110931485817512,
    3.384438132685525
  };
  private static final double[] PSI1 = {
    14.817739525515929, 8.934802200544679, 10001.621213528313, 4.934802200544679,
    1.6449340668482264, 0.9677007114650835, 0.6449340668482264, 0.19934238698962767,
    0.033895060357739946
  };
  private static final double[] PSI2 = {
    68.76944547748523, -0.82879664423432, -2000002.340398677, -16.82879664423432,
    -2.4041138063191885, -0.8855761967999034, -0.4041138063191886, -0.03960894752130204,
    -0.0011487652037286
  };

  private static void check(double[] xs, double[] ys, DoubleUnaryOperator f, double ulps) {
    for (int i = 0; i < xs.length; i++) {
      double y = f.applyAsDouble(xs[i]);
      double error = Math.abs(y - ys[i]) / Math.ulp(ys[i]);
      assertTrue(error <= ulps, "at " + xs[i] + ": " + y + " for " + ys[i] + ", " + error + " ulp");
    }
  }

  @Test
  void gamma() {
    check(X, GAMMA, ScalarMath::gamma, 12);
  }

  @Test
  void lgamma() {
    check(X, LGAMMA, ScalarMath::lgamma, 8);
  }

  @Test
  void errorFunctions() {
    check(XE, ERF, ScalarMath::erf, 3);
    check(XE, ERFC, ScalarMath::erfc, 6);
  }

  @Test
  void polygamma() {
    check(XP, PSI0, x -> ScalarMath.polygamma(0, x), 100_000);
    check(XP, PSI1, x -> ScalarMath.polygamma(1, x), 500);
    check(XP, PSI2, x -> ScalarMath.polygamma(2, x), 500);
  }

  @Test
  void edges() {
    assertEquals(Double.POSITIVE_INFINITY, ScalarMath.gamma(0.0));
    assertEquals(Double.NEGATIVE_INFINITY, ScalarMath.gamma(-0.0));
    assertEquals(Double.NaN, ScalarMath.gamma(-3.0));
    assertEquals(Double.POSITIVE_INFINITY, ScalarMath.lgamma(-3.0));
    assertEquals(Double.POSITIVE_INFINITY, ScalarMath.gamma(172.0));
    assertEquals(0, ScalarMath.lgamma(1.0));
    assertEquals(0, ScalarMath.lgamma(2.0));
    assertEquals(-1, ScalarMath.erf(Double.NEGATIVE_INFINITY));
    assertEquals(0, ScalarMath.erfc(Double.POSITIVE_INFINITY));
    assertEquals(2, ScalarMath.erfc(Double.NEGATIVE_INFINITY));
    assertEquals(-0.0, ScalarMath.erf(-0.0));
    assertEquals(Double.NaN, ScalarMath.erf(Double.NaN));
  }

  @Test
  void logarithmOfPowersOfTwoIsExact() {
    for (int e = -1074; e < 1024; e++) {
      assertEquals(e, ScalarMath.log2(Math.scalb(1.0, e)));
    }
  }
}
