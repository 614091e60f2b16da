package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;

/** Reads data in ADBench's formats as arguments for the programs. */
final class AdBench {
  private AdBench() {}

  /** Returns the text of a file in the resources, {@code programs/adbench/NAME.txt}. */
  static String resource(String name) {
    var resource = "/dev/kenaz/jobs/programs/adbench/" + name + ".txt";
    try (var in = AdBench.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file's numbers, one after the other. */
  private static final class Numbers {
    private final Scanner words;

    Numbers(String text) {
      words = new Scanner(text);
    }

    int count() {
      return Integer.parseInt(words.next());
    }

    double[] take(long n) {
      var xs = new double[Math.toIntExact(n)];
      for (int i = 0; i < xs.length; i++) {
        xs[i] = Double.parseDouble(words.next());
      }
      return xs;
    }

    ArrayValue array(long... shape) {
      return ArrayValue.ofDoubles(take(ArrayValue.count(shape)), shape);
    }
  }

  /** Returns the arguments alphas, means, icf, points, gamma and m. */
  static List<Value> gmm(String text) {
    var in = new Numbers(text);
    int d = in.count();
    int k = in.count();
    int n = in.count();
    var alphas = in.array(k);
    var means = in.array(k, d);
    var icf = in.array(k, d * (d + 1L) / 2);
    var xs = in.array(n, d);
    return List.of(
        alphas, means, icf, xs, ScalarValue.f64(in.take(1)[0]), ScalarValue.i64(in.count()));
  }

  /** Returns the cameras, the points, the weights, which camera saw which point, and where. */
  static List<Value> ba(String text) {
    var in = new Numbers(text);
    int n = in.count();
    int m = in.count();
    int p = in.count();
    var camera = in.take(11);
    var point = in.take(3);
    var weight = in.take(1);
    var feature = in.take(2);
    var seen = new long[2 * p];
    for (int i = 0; i < p; i++) {
      seen[2 * i] = i % n;
      seen[2 * i + 1] = i % m;
    }
    return List.of(
        repeated(n, camera),
        repeated(m, point),
        ArrayValue.ofDoubles(repeated(p, weight).toDoubleArray(), p),
        ArrayValue.ofLongs(seen, p, 2),
        repeated(p, feature));
  }

  private static ArrayValue repeated(int n, double[] row) {
    var all = new double[n * row.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = row[i % row.length];
    }
    return ArrayValue.ofDoubles(all, n, row.length);
  }

  /** Returns the main parameters, the extra parameters, the state and the text. */
  static List<Value> dLstm(String text) {
    var in = new Numbers(text);
    int l = in.count();
    int c = in.count();
    int b = in.count();
    return List.of(in.array(l, 2, 4, b), in.array(3, b), in.array(l, 2, b), in.array(c, b));
  }

  /**
   * Returns the model, the vertex or triangle with which each point is compared, the points and the
   * parameters.
   */
  static List<Value> hand(String text, boolean complicated) {
    var in = new Numbers(text);
    int n = in.count();
    int parameters = in.count();
    var which = new long[n];
    var points = new double[3 * n];
    for (int i = 0; i < n; i++) {
      which[i] = in.count();
      System.arraycopy(in.take(3), 0, points, 3 * i, 3);
    }
    var us = complicated ? in.array(n, 2) : null;
    var all = new ArrayList<>(model(complicated));
    all.add(ArrayValue.ofLongs(which, n));
    all.add(ArrayValue.ofDoubles(points, n, 3));
    all.add(in.array(parameters));
    if (complicated) {
      all.add(us);
    }
    return all;
  }

  private static double[] doubles(String[] fields, int from, int count) {
    var xs = new double[count];
    for (int i = 0; i < count; i++) {
      xs[i] = Double.parseDouble(fields[from + i]);
    }
    return xs;
  }

  /**
   * Returns the parents, matrices, inverse matrices, vertices and weights, and perhaps the
   * triangles.
   */
  private static List<Value> model(boolean triangles) {
    var bones = resource("bones").lines().map(l -> l.split(":")).toList();
    var parents = new long[bones.size()];
    var base = new ArrayList<Value>();
    var inverse = new ArrayList<Value>();
    for (int i = 0; i < parents.length; i++) {
      parents[i] = Long.parseLong(bones.get(i)[1]);
      base.add(ArrayValue.ofDoubles(doubles(bones.get(i), 2, 16), 4, 4));
      inverse.add(ArrayValue.ofDoubles(doubles(bones.get(i), 18, 16), 4, 4));
    }
    var vertices = resource("vertices").lines().map(l -> l.split(":")).toList();
    var positions = new ArrayList<Value>();
    var weights = new ArrayList<Value>();
    for (var v : vertices) {
      var xyz = doubles(v, 0, 3);
      positions.add(ArrayValue.ofDoubles(new double[] {xyz[0], xyz[1], xyz[2], 1}, 4));
      var ws = new double[parents.length];
      for (int j = 0; j < Integer.parseInt(v[8]); j++) {
        ws[Integer.parseInt(v[9 + 2 * j])] = Double.parseDouble(v[10 + 2 * j]);
      }
      weights.add(ArrayValue.ofDoubles(ws, ws.length));
    }
    var all = new ArrayList<Value>();
    all.add(ArrayValue.ofLongs(parents, parents.length));
    all.add(ArrayValue.stack(base));
    all.add(ArrayValue.stack(inverse));
    all.add(ArrayValue.stack(positions));
    all.add(ArrayValue.stack(weights));
    if (triangles) {
      var corners = resource("triangles").lines().map(l -> l.split(":")).toList();
      var is = corners.stream().flatMap(Arrays::stream).mapToLong(Long::parseLong);
      all.add(ArrayValue.ofLongs(is.toArray(), corners.size(), 3));
    }
    return all;
  }
}
