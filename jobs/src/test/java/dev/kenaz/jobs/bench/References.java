package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/** The papers' programs in plain Java, straight from the published formulas. */
final class References {
  private References() {}

  private static double[] doubles(Value v) {
    return ((ArrayValue) v).toDoubleArray();
  }

  private static long[] longs(Value v) {
    return ((ArrayValue) v).toLongArray();
  }

  private static int size(Value v, int dim) {
    return (int) v.shape()[dim];
  }

  private static double logSumExp(double... xs) {
    double most = Arrays.stream(xs).max().orElseThrow();
    return most + Math.log(Arrays.stream(xs).map(x -> Math.exp(x - most)).sum());
  }

  /** Whole and half numbers only. */
  private static double logGamma(double x) {
    double start = x == Math.rint(x) ? 1 : 0.5;
    double log = start == 1 ? 0 : 0.5 * Math.log(Math.PI);
    for (double y = start; y < x; y++) {
      log += Math.log(y);
    }
    return log;
  }

  static double gmm(List<Value> in) {
    var alphas = doubles(in.get(0));
    var means = doubles(in.get(1));
    var icf = doubles(in.get(2));
    var xs = doubles(in.get(3));
    double gamma = ((ScalarValue) in.get(4)).asDouble();
    long m = ((ScalarValue) in.get(5)).asLong();
    int k = alphas.length;
    int d = size(in.get(1), 1);
    int n = size(in.get(3), 0);
    var factors = new double[k][d][d];
    double prior = 0;
    var sums = new double[k];
    for (int c = 0; c < k; c++) {
      int at = c * d * (d + 1) / 2;
      for (int j = 0; j < d; j++) {
        factors[c][j][j] = Math.exp(icf[at + j]);
        sums[c] += icf[at + j];
      }
      int below = at + d;
      for (int j = 0; j < d; j++) {
        for (int i = j + 1; i < d; i++) {
          factors[c][i][j] = icf[below++];
        }
      }
      for (var row : factors[c]) {
        prior += 0.5 * gamma * gamma * Arrays.stream(row).map(x -> x * x).sum();
      }
      prior -= m * sums[c];
    }
    double freedom = d + m + 1;
    double logGammas = 0.25 * d * (d - 1) * Math.log(Math.PI);
    for (int j = 0; j < d; j++) {
      logGammas += logGamma(0.5 * freedom - 0.5 * j);
    }
    prior -= k * (freedom * d * (Math.log(gamma) - 0.5 * Math.log(2)) - logGammas);
    double total = -n * d * 0.5 * Math.log(2 * Math.PI) - n * logSumExp(alphas) + prior;
    for (int i = 0; i < n; i++) {
      var terms = new double[k];
      for (int c = 0; c < k; c++) {
        double square = 0;
        for (int r = 0; r < d; r++) {
          double sum = 0;
          for (int j = 0; j <= r; j++) {
            sum += factors[c][r][j] * (xs[i * d + j] - means[c * d + j]);
          }
          square += sum * sum;
        }
        terms[c] = alphas[c] + sums[c] - 0.5 * square;
      }
      total += logSumExp(terms);
    }
    return total;
  }

  /**
   * The gradient of {@link #gmm}, derived by hand as in ADBench's manual implementation: with y =
   * Q(x - mean) and w the share of a component in a point, a point adds w to that of alpha, w Q^T y
   * to that of the mean, and -w y (x - mean)^T to that of the factor Q, of whose diagonal the
   * logarithms are given.
   *
   * @return those by alphas, means and factors
   */
  static double[][] gmmGradient(List<Value> in) {
    var alphas = doubles(in.get(0));
    var means = doubles(in.get(1));
    var icf = doubles(in.get(2));
    var xs = doubles(in.get(3));
    double gamma = ((ScalarValue) in.get(4)).asDouble();
    long m = ((ScalarValue) in.get(5)).asLong();
    int k = alphas.length;
    int d = size(in.get(1), 1);
    int n = size(in.get(3), 0);
    int packed = d * (d + 1) / 2;
    var byAlphas = new double[k];
    var byMeans = new double[k * d];
    var byFactors = new double[k * packed];
    var ys = new double[k][];
    for (int i = 0; i < n; i++) {
      var terms = new double[k];
      for (int c = 0; c < k; c++) {
        ys[c] = times(icf, c * packed, d, difference(xs, i * d, means, c * d, d));
        double logs = Arrays.stream(icf, c * packed, c * packed + d).sum();
        terms[c] = alphas[c] + logs - 0.5 * Arrays.stream(ys[c]).map(v -> v * v).sum();
      }
      double all = logSumExp(terms);
      for (int c = 0; c < k; c++) {
        double w = Math.exp(terms[c] - all);
        byAlphas[c] += w;
        var away = difference(xs, i * d, means, c * d, d);
        int below = c * packed + d;
        for (int j = 0; j < d; j++) {
          double scale = Math.exp(icf[c * packed + j]);
          byMeans[c * d + j] += w * scale * ys[c][j];
          byFactors[c * packed + j] += w * (1 - scale * ys[c][j] * away[j]);
          for (int r = j + 1; r < d; r++) {
            byMeans[c * d + j] += w * icf[below] * ys[c][r];
            byFactors[below++] -= w * ys[c][r] * away[j];
          }
        }
      }
    }
    double all = logSumExp(alphas);
    for (int c = 0; c < k; c++) {
      byAlphas[c] -= n * Math.exp(alphas[c] - all);
      for (int j = 0; j < packed; j++) {
        int at = c * packed + j;
        byFactors[at] +=
            j < d ? gamma * gamma * Math.exp(2 * icf[at]) - m : gamma * gamma * icf[at];
      }
    }
    return new double[][] {byAlphas, byMeans, byFactors};
  }

  private static double[] difference(double[] a, int from, double[] b, int at, int n) {
    var result = new double[n];
    for (int j = 0; j < n; j++) {
      result[j] = a[from + j] - b[at + j];
    }
    return result;
  }

  /** A lower triangle that is packed by columns, behind the logarithms of its diagonal. */
  private static double[] times(double[] icf, int at, int d, double[] x) {
    var result = new double[d];
    int below = at + d;
    for (int j = 0; j < d; j++) {
      result[j] += Math.exp(icf[at + j]) * x[j];
      for (int i = j + 1; i < d; i++) {
        result[i] += icf[below++] * x[j];
      }
    }
    return result;
  }

  /** Cost, and the centres after a step of Lloyd's algorithm, which Newton's step comes to. */
  static double[][] kmeans(double[][] points, double[][] centres) {
    int k = centres.length;
    int d = centres[0].length;
    var sums = new double[k][d];
    var counts = new int[k];
    double cost = 0;
    for (var p : points) {
      int best = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int c = 0; c < k; c++) {
        double distance = 0;
        for (int j = 0; j < d; j++) {
          distance += (p[j] - centres[c][j]) * (p[j] - centres[c][j]);
        }
        if (distance < least) {
          best = c;
          least = distance;
        }
      }
      cost += least;
      counts[best]++;
      for (int j = 0; j < d; j++) {
        sums[best][j] += p[j];
      }
    }
    for (int c = 0; c < k; c++) {
      for (int j = 0; j < d; j++) {
        sums[c][j] = counts[c] == 0 ? centres[c][j] : sums[c][j] / counts[c];
      }
    }
    return new double[][] {{cost}, Arrays.stream(sums).flatMapToDouble(Arrays::stream).toArray()};
  }

  static double[][] rows(Value v) {
    var xs = doubles(v);
    int d = size(v, 1);
    var rows = new double[size(v, 0)][];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Arrays.copyOfRange(xs, i * d, (i + 1) * d);
    }
    return rows;
  }

  static double[][] dense(List<Value> in) {
    var values = doubles(in.get(0));
    var columns = longs(in.get(1));
    var starts = longs(in.get(2));
    var rows = new double[starts.length - 1][size(in.get(3), 1)];
    for (int i = 0; i < rows.length; i++) {
      for (int j = (int) starts[i]; j < starts[i + 1]; j++) {
        rows[i][(int) columns[j]] = values[j];
      }
    }
    return rows;
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  static double lstm(List<Value> in) {
    int n = size(in.get(0), 0);
    int bs = size(in.get(0), 1);
    int d = size(in.get(0), 2);
    int h = size(in.get(2), 1);
    var a = in.stream().map(References::doubles).toList();
    double total = 0;
    for (int b = 0; b < bs; b++) {
      var hidden = Arrays.copyOfRange(a.get(2), b * h, (b + 1) * h);
      var cell = Arrays.copyOfRange(a.get(3), b * h, (b + 1) * h);
      for (int t = 0; t < n; t++) {
        var z = new double[4][h];
        for (int g = 0; g < 4; g++) {
          for (int u = 0; u < h; u++) {
            double sum = a.get(6)[g * h + u];
            for (int j = 0; j < d; j++) {
              sum += a.get(4)[(g * h + u) * d + j] * a.get(0)[(t * bs + b) * d + j];
            }
            for (int j = 0; j < h; j++) {
              sum += a.get(5)[(g * h + u) * h + j] * hidden[j];
            }
            z[g][u] = sum;
          }
        }
        for (int u = 0; u < h; u++) {
          cell[u] = sigmoid(z[1][u]) * cell[u] + sigmoid(z[0][u]) * Math.tanh(z[2][u]);
          hidden[u] = sigmoid(z[3][u]) * Math.tanh(cell[u]);
        }
        for (int o = 0; o < d; o++) {
          double y = a.get(8)[o];
          for (int u = 0; u < h; u++) {
            y += a.get(7)[o * h + u] * hidden[u];
          }
          double e = y - a.get(1)[(t * bs + b) * d + o];
          total += e * e;
        }
      }
    }
    return total / (n * bs * d);
  }

  /** Both errors of each observation and the penalty of its weight, one kind after the other. */
  static double[][] ba(List<Value> in) {
    var cams = rows(in.get(0));
    var points = rows(in.get(1));
    var weights = doubles(in.get(2));
    var seen = longs(in.get(3));
    var features = rows(in.get(4));
    var out = new double[3][weights.length];
    for (int p = 0; p < weights.length; p++) {
      var c = cams[(int) seen[2 * p]];
      var x = points[(int) seen[2 * p + 1]];
      var y = rotate(c, new double[] {x[0] - c[3], x[1] - c[4], x[2] - c[5]});
      double u = y[0] / y[2];
      double v = y[1] / y[2];
      double r = u * u + v * v;
      double l = 1 + c[9] * r + c[10] * r * r;
      out[0][p] = weights[p] * (c[6] * l * u + c[7] - features[p][0]);
      out[1][p] = weights[p] * (c[6] * l * v + c[8] - features[p][1]);
      out[2][p] = 1 - weights[p] * weights[p];
    }
    return out;
  }

  /** Through the rotation's matrix: the exponential of the cross product's, by its series. */
  private static double[] rotate(double[] r, double[] x) {
    var sum = x.clone();
    var term = x.clone();
    for (int k = 1; k < 60; k++) {
      term =
          new double[] {
            (r[1] * term[2] - r[2] * term[1]) / k,
            (r[2] * term[0] - r[0] * term[2]) / k,
            (r[0] * term[1] - r[1] * term[0]) / k
          };
      for (int i = 0; i < 3; i++) {
        sum[i] += term[i];
      }
    }
    return sum;
  }

  static double dLstm(List<Value> in) {
    var main = doubles(in.get(0));
    var extra = doubles(in.get(1));
    var state = doubles(in.get(2)).clone();
    var text = rows(in.get(3));
    int l = size(in.get(0), 0);
    int b = size(in.get(0), 3);
    double total = 0;
    for (int t = 0; t + 1 < text.length; t++) {
      var x = new double[b];
      for (int j = 0; j < b; j++) {
        x[j] = text[t][j] * extra[j];
      }
      for (int i = 0; i < l; i++) {
        int w = i * 8 * b;
        int h = i * 2 * b;
        for (int j = 0; j < b; j++) {
          double hidden = state[h + j];
          double forget = sigmoid(x[j] * main[w + j] + main[w + 4 * b + j]);
          double ingate = sigmoid(hidden * main[w + b + j] + main[w + 5 * b + j]);
          double outgate = sigmoid(x[j] * main[w + 2 * b + j] + main[w + 6 * b + j]);
          double change = Math.tanh(hidden * main[w + 3 * b + j] + main[w + 7 * b + j]);
          double cell = state[h + b + j] * forget + ingate * change;
          state[h + b + j] = cell;
          state[h + j] = outgate * Math.tanh(cell);
          x[j] = state[h + j];
        }
      }
      double sum = 2;
      for (int j = 0; j < b; j++) {
        x[j] = x[j] * extra[b + j] + extra[2 * b + j];
        sum += Math.exp(x[j]);
      }
      for (int j = 0; j < b; j++) {
        total += text[t + 1][j] * (x[j] - Math.log(sum));
      }
    }
    return -total / ((text.length - 1) * b);
  }

  static double[] matmul(Value a, Value b) {
    var x = rows(a);
    var y = rows(b);
    var out = new double[x.length * y[0].length];
    for (int i = 0; i < out.length; i++) {
      for (int k = 0; k < y.length; k++) {
        out[i] += x[i / y[0].length][k] * y[k][i % y[0].length];
      }
    }
    return out;
  }

  /**
   * Pushes what each cell sends to its neighbours, where the program pulls what comes from them.
   */
  static double[] lbm(List<Value> in) {
    var shape = in.get(3).shape();
    int nz = (int) shape[0];
    int ny = (int) shape[1];
    int nx = (int) shape[2];
    double omega = ((ScalarValue) in.get(1)).asDouble();
    var solid = (ArrayValue) in.get(2);
    var cells = doubles(in.get(3));
    for (long t = ((ScalarValue) in.get(0)).asLong(); t > 0; t--) {
      var arrived = new double[cells.length];
      for (int i = 0; i < cells.length; i++) {
        int cell = i / 19;
        int[] v = velocity(i % 19);
        int x = Math.floorMod(cell % nx + v[0], nx);
        int y = Math.floorMod(cell / nx % ny + v[1], ny);
        int z = Math.floorMod(cell / nx / ny + v[2], nz);
        arrived[((z * ny + y) * nx + x) * 19 + i % 19] = cells[i];
      }
      for (int cell = 0; cell < cells.length / 19; cell++) {
        collide(arrived, 19 * cell, solid.getBoolean(cell), omega);
      }
      cells = arrived;
    }
    return cells;
  }

  /** The velocities lie on a line through the middle of a cube's face or edge, nearest x first. */
  private static int[] velocity(int i) {
    if (i < 7) {
      var v = new int[3];
      if (i > 0) {
        v[(i - 1) / 2] = i % 2 == 1 ? 1 : -1;
      }
      return v;
    }
    int first = (i - 7) / 4 == 2 ? 1 : 0;
    int second = (i - 7) / 4 == 0 ? 1 : 2;
    var v = new int[3];
    v[first] = (i - 7) % 2 == 0 ? 1 : -1;
    v[second] = (i - 7) % 4 < 2 ? 1 : -1;
    return v;
  }

  private static void collide(double[] f, int at, boolean solid, double omega) {
    var old = Arrays.copyOfRange(f, at, at + 19);
    double rho = Arrays.stream(old).sum();
    var u = new double[3];
    for (int i = 0; i < 19; i++) {
      for (int k = 0; k < 3; k++) {
        u[k] += old[i] * velocity(i)[k] / rho;
      }
    }
    for (int i = 0; i < 19; i++) {
      int[] v = velocity(i);
      if (solid) {
        for (int j = 0; j < 19; j++) {
          if (Arrays.equals(velocity(j), new int[] {-v[0], -v[1], -v[2]})) {
            f[at + i] = old[j];
          }
        }
        continue;
      }
      double length = Math.abs(v[0]) + Math.abs(v[1]) + Math.abs(v[2]);
      double weight = length == 0 ? 1.0 / 3 : length == 1 ? 1.0 / 18 : 1.0 / 36;
      double cu = v[0] * u[0] + v[1] * u[1] + v[2] * u[2];
      double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
      double equal = weight * rho * (1 + 3 * cu + 9.0 / 2 * cu * cu - 3.0 / 2 * uu);
      f[at + i] = (1 - omega) * old[i] + omega * equal;
    }
  }
}
