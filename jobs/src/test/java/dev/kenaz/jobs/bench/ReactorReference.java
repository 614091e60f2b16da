package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/** The kernels of XSBench and RSBench in plain Java. */
final class ReactorReference {
  private ReactorReference() {}

  private static double[] doubles(Value v) {
    return ((ArrayValue) v).toDoubleArray();
  }

  private static int[] ints(Value v) {
    return Arrays.stream(((ArrayValue) v).toLongArray()).mapToInt(Math::toIntExact).toArray();
  }

  /** Looks each energy up in each nuclide's own table. */
  static double[] xs(List<Value> in) {
    var counts = ints(in.get(2));
    var nuclides = ints(in.get(3));
    var tables = doubles(in.get(4));
    var densities = doubles(in.get(5));
    var energies = doubles(in.get(6));
    var materials = ints(in.get(7));
    int points = (int) in.get(4).shape()[1];
    int most = (int) in.get(3).shape()[1];
    var out = new double[5 * energies.length];
    for (int l = 0; l < energies.length; l++) {
      for (int j = 0; j < counts[materials[l]]; j++) {
        int at = materials[l] * most + j;
        int table = nuclides[at] * points * 6;
        int row = 0;
        while (row + 2 < points && tables[table + 6 * (row + 1)] <= energies[l]) {
          row++;
        }
        int low = table + 6 * row;
        int high = low + 6;
        double f = (tables[high] - energies[l]) / (tables[high] - tables[low]);
        for (int i = 1; i < 6; i++) {
          double micro = tables[high + i] - f * (tables[high + i] - tables[low + i]);
          out[5 * l + i - 1] += micro * densities[at];
        }
      }
    }
    return out;
  }

  private record Complex(double re, double im) {
    Complex plus(Complex o) {
      return new Complex(re + o.re, im + o.im);
    }

    Complex times(Complex o) {
      return new Complex(re * o.re - im * o.im, re * o.im + im * o.re);
    }

    Complex inverse() {
      double d = re * re + im * im;
      return new Complex(re / d, -im / d);
    }

    Complex times(double s) {
      return new Complex(re * s, im * s);
    }

    Complex exp() {
      return new Complex(Math.cos(im), Math.sin(im)).times(Math.exp(re));
    }
  }

  /** With the constants as RSBench has them, to its seven digits. */
  private static final double[] WEIGHTS = {
    2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02,
    2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04
  };

  private static final double[] SQUARES = {
    9.869604e+00, 3.947842e+01, 8.882644e+01, 1.579137e+02, 2.467401e+02,
    3.553058e+02, 4.836106e+02, 6.316547e+02, 7.994380e+02, 9.869604e+02
  };

  private static Complex faddeeva(Complex z) {
    var i = new Complex(0, 1);
    if (Math.hypot(z.re, z.im) >= 6) {
      var square = z.times(z);
      var a = square.plus(new Complex(-0.27525512860841095, 0)).inverse().times(0.5124242247547685);
      var b = square.plus(new Complex(-2.724744871391589, 0)).inverse().times(0.05176535879298782);
      return z.times(i).times(a.plus(b));
    }
    var t = z.times(12);
    var e = t.times(i).exp();
    var w = i.times(e.times(-1).plus(new Complex(1, 0))).times(t.inverse());
    for (int n = 0; n < 10; n++) {
      var top = e.times(n % 2 == 0 ? -1 : 1).plus(new Complex(-1, 0));
      var bottom = t.times(t).times(-1).plus(new Complex(SQUARES[n], 0));
      var term = top.times(bottom.inverse()).times(WEIGHTS[n]);
      w = w.plus(new Complex(0, 81.24330).times(z).times(term));
    }
    return w;
  }

  static double[] rs(List<Value> in) {
    var momenta = ints(in.get(0));
    var ranges = ints(in.get(1));
    var radii = doubles(in.get(2));
    var counts = ints(in.get(3));
    var nuclides = ints(in.get(4));
    var poles = doubles(in.get(5));
    var fits = doubles(in.get(6));
    var densities = doubles(in.get(7));
    var energies = doubles(in.get(8));
    var materials = ints(in.get(9));
    int most = (int) in.get(4).shape()[1];
    int count = (int) in.get(5).shape()[1];
    int windows = (int) in.get(6).shape()[1];
    var out = new double[4 * energies.length];
    for (int l = 0; l < energies.length; l++) {
      double e = energies[l];
      for (int j = 0; j < counts[materials[l]]; j++) {
        int at = materials[l] * most + j;
        int nuclide = nuclides[at];
        int window = nuclide * windows + Math.min((int) (e * windows), windows - 1);
        double[] sums = {e * fits[3 * window], e * fits[3 * window + 1], e * fits[3 * window + 2]};
        for (int p = ranges[2 * window]; p <= ranges[2 * window + 1]; p++) {
          int pole = (nuclide * count + p) * 8;
          var z = new Complex(e - poles[pole], -poles[pole + 1]).times(0.5);
          var f = faddeeva(z);
          int m = momenta[nuclide * count + p];
          var turned = f.times(phase(m, radii[nuclide * 4 + m] * Math.sqrt(e)));
          sums[0] += new Complex(poles[pole + 2], poles[pole + 3]).times(turned).re;
          sums[1] += new Complex(poles[pole + 4], poles[pole + 5]).times(f).re;
          sums[2] += new Complex(poles[pole + 6], poles[pole + 7]).times(f).re;
        }
        for (int i = 0; i < 3; i++) {
          out[4 * l + i] += densities[at] * sums[i];
        }
      }
      out[4 * l + 3] = out[4 * l] - out[4 * l + 1];
    }
    return out;
  }

  private static Complex phase(int momentum, double phi) {
    double shift =
        switch (momentum) {
          case 1 -> Math.atan(phi);
          case 2 -> Math.atan(3 * phi / (3 - phi * phi));
          case 3 -> Math.atan(phi * (15 - phi * phi) / (15 - 6 * phi * phi));
          default -> 0;
        };
    return new Complex(Math.cos(2 * (phi - shift)), -Math.sin(2 * (phi - shift)));
  }
}
