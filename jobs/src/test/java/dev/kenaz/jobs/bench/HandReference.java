package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/** ADBench's hand model in plain Java, from its published description. */
final class HandReference {
  private HandReference() {}

  private static double[] doubles(Value v) {
    return ((ArrayValue) v).toDoubleArray();
  }

  private static double[][] times(double[][] a, double[][] b) {
    var c = new double[a.length][b[0].length];
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < b[0].length; j++) {
        for (int k = 0; k < b.length; k++) {
          c[i][j] += a[i][k] * b[k][j];
        }
      }
    }
    return c;
  }

  private static double[][] matrix(double[] all, int i) {
    var m = new double[4][];
    for (int r = 0; r < 4; r++) {
      m[r] = Arrays.copyOfRange(all, 16 * i + 4 * r, 16 * i + 4 * r + 4);
    }
    return m;
  }

  /** Columns: rotation, scale, translation, then a bone each. */
  private static double[][] pose(double[] theta, int bones) {
    var pose = new double[bones + 3][3];
    for (int i = 0; i < 3; i++) {
      pose[0][i] = theta[i];
      pose[1][i] = 1;
      pose[2][i] = theta[i + 3];
    }
    int at = 6;
    int column = 5;
    for (int finger = 0; finger < 5; finger++) {
      for (int i = 2; i <= 4; i++) {
        pose[column][0] = theta[at++];
        if (i == 2) {
          pose[column][1] = theta[at++];
        }
        column++;
      }
      column++;
    }
    return pose;
  }

  private static double[][] euler(double[] xzy) {
    double x = xzy[0];
    double y = xzy[2];
    double z = xzy[1];
    double[][] rx = {{1, 0, 0}, {0, Math.cos(x), -Math.sin(x)}, {0, Math.sin(x), Math.cos(x)}};
    double[][] ry = {{Math.cos(y), 0, Math.sin(y)}, {0, 1, 0}, {-Math.sin(y), 0, Math.cos(y)}};
    double[][] rz = {{Math.cos(z), -Math.sin(z), 0}, {Math.sin(z), Math.cos(z), 0}, {0, 0, 1}};
    var r = times(rz, times(ry, rx));
    return new double[][] {
      {r[0][0], r[0][1], r[0][2], 0},
      {r[1][0], r[1][1], r[1][2], 0},
      {r[2][0], r[2][1], r[2][2], 0},
      {0, 0, 0, 1}
    };
  }

  private static double[] rotate(double[] r, double[] x) {
    double angle = Math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (angle < 1e-4) {
      return x;
    }
    double[] w = {r[0] / angle, r[1] / angle, r[2] / angle};
    double dot = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
    var y = new double[3];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3;
      int k = (i + 2) % 3;
      y[i] =
          x[i] * Math.cos(angle)
              + (w[j] * x[k] - w[k] * x[j]) * Math.sin(angle)
              + w[i] * dot * (1 - Math.cos(angle));
    }
    return y;
  }

  /** A row for each point. */
  static double[] errors(List<Value> in, boolean complicated) {
    var parents = ((ArrayValue) in.get(0)).toLongArray();
    int bones = parents.length;
    int next = complicated ? 6 : 5;
    var which = ((ArrayValue) in.get(next)).toLongArray();
    var points = doubles(in.get(next + 1));
    var pose = pose(doubles(in.get(next + 2)), bones);
    var absolute = new double[bones][][];
    var transforms = new double[bones][][];
    for (int i = 0; i < bones; i++) {
      var relative = times(matrix(doubles(in.get(1)), i), euler(pose[i + 3]));
      absolute[i] = parents[i] < 0 ? relative : times(absolute[(int) parents[i]], relative);
      transforms[i] = times(absolute[i], matrix(doubles(in.get(2)), i));
    }
    var base = doubles(in.get(3));
    var weights = doubles(in.get(4));
    var vertices = new double[base.length / 4][];
    for (int v = 0; v < vertices.length; v++) {
      var sum = new double[3];
      for (int b = 0; b < bones; b++) {
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 4; j++) {
            sum[i] += weights[v * bones + b] * transforms[b][i][j] * base[4 * v + j];
          }
        }
      }
      var turned = rotate(pose[0], sum);
      for (int i = 0; i < 3; i++) {
        turned[i] += pose[2][i];
      }
      vertices[v] = turned;
    }
    var out = new double[points.length];
    for (int p = 0; p < which.length; p++) {
      for (int i = 0; i < 3; i++) {
        double place = vertices[complicated ? 0 : (int) which[p]][i];
        if (complicated) {
          var us = doubles(in.get(next + 3));
          var corners = ((ArrayValue) in.get(5)).toLongArray();
          int t = 3 * (int) which[p];
          double u = us[2 * p];
          double v = us[2 * p + 1];
          place =
              u * vertices[(int) corners[t]][i]
                  + v * vertices[(int) corners[t + 1]][i]
                  + (1 - u - v) * vertices[(int) corners[t + 2]][i];
        }
        out[3 * p + i] = points[3 * p + i] - place;
      }
    }
    return out;
  }
}
