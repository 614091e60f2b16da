package dev.kenaz.jobs.bench;

import dev.kenaz.jobs.bench.BenchCase.Shape;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * These are reduce, scan and reduce_by_index with the operators of "Reverse-Mode AD of
 * Reduce-by-Index and Scan in Futhark", 2023, figures 9 and 10, and a map to compare them with. The
 * overheads that the paper measured are for its larger and smaller data sets on an A100.
 */
final class OperatorCases {
  /** How many bytes a number has. */
  private static final long FLOAT = 4;

  private static final long[] COUNTED = {10_000, 100_000};
  private static final long[] BINS = {31, 401, 50_000};
  private static final int WIDTH = 16;
  private static final int HIST_WIDTH = 10;

  /** The numbers of elements. Vectors and large matrices have a tenth of the elements. */
  private final long[] timed;

  private final List<BenchCase> cases = new ArrayList<>();

  private OperatorCases(long... timed) {
    this.timed = timed.clone();
  }

  static List<BenchCase> of(long... timed) {
    var all = new OperatorCases(timed);
    all.lines("map", "linear", 1, "", -1, 1);
    all.reductions();
    all.scans();
    all.histograms();
    return all.cases;
  }

  private void reductions() {
    lines("reduce", "add", 1, "2.5", -1, 1);
    lines("reduce", "min", 1, "2.6-2.8", -1, 1);
    lines("reduce", "mul", 1, "2.7-2.9", 0.999, 1.001);
    lines("reduce", "linear", 2, "5.0-5.9", 0.99, 1.001);
    lines("reduce", "sum_of_products", 2, "7.2-10", -1, 1);
    lines("reduce", "saturated", 1, "", -1, 1);
    matrix("reduce", "3.4-4.0");
    lines("reduce", "matmul2", 4, "4.6-6.2", -0.001, 0.001);
    lines("reduce", "matmul3", 9, "6.4-7.6", -0.001, 0.001);
    lines("reduce", "matmul5", 25, "6.3-6.7", -0.001, 0.001);
  }

  private void scans() {
    lines("scan", "add", 1, "1.8-2.8", -1, 1);
    lines("scan", "min", 1, "2.5", -1, 1);
    lines("scan", "mul", 1, "3.4-4.1", 0.999, 1.001);
    lines("scan", "linear", 2, "3.4-3.8", 0.99, 1.001);
    lines("scan", "sum_of_products", 2, "4.5-5.3", -1, 1);
    lines("scan", "saturated", 1, "", -1, 1);
    matrix("scan", "0.43-0.44");
    lines("scan", "matmul2", 4, "4.3-4.6", -0.001, 0.001);
    lines("scan", "matmul3", 9, "7.6-8.1", -0.001, 0.001);
    lines("scan", "matmul5", 25, "6.9", -0.001, 0.001);
  }

  private void histograms() {
    hist("add", 1, "1.5-1.9", "1.4-1.9", "1.4");
    hist("map2_add", HIST_WIDTH, "1.6-1.9", "1.5-1.8", "1.1");
    hist("min", 1, "1.9-2.1", "2.0-2.1", "3.0-3.9");
    hist("map2_min", HIST_WIDTH, "3.0-9.6", "4.1-13.7", "3.2-4.0");
    hist("mul", 1, "2.1-2.4", "2.0-2.4", "2.1-2.6");
    hist("map2_mul", HIST_WIDTH, "4.0-8.6", "3.9-9.0", "4.5-12.4");
    hist("sum_of_products", -2, "29.4-45.8", "48.6-84.0", "8.0-9.4");
    hist("saturated", 1, "29.7-50.3", "50.6-92.0", "19.5-21.2");
  }

  private void add(String kind, String op, List<Shape> counted, List<Shape> times) {
    var entry = kind + "_" + op;
    cases.add(
        new BenchCase(kind + " " + op, "operators", entry, entry + "_ad", true, counted, times));
  }

  private static int moves(String kind) {
    return kind.equals("reduce") ? 1 : 2;
  }

  /** Adds cases whose elements are tuples, with an array for each component. */
  private void lines(String kind, String op, int k, String paper, double low, double high) {
    var counted = Arrays.stream(COUNTED).mapToObj(n -> line(kind, n, k, paper, low, high));
    int less = k > 4 ? 10 : 1;
    var times = Arrays.stream(timed).mapToObj(n -> line(kind, n / less, k, paper, low, high));
    add(kind, op, counted.toList(), times.toList());
  }

  private static Shape line(String kind, long n, int k, String paper, double low, double high) {
    Supplier<List<Value>> arguments =
        () -> {
          var draw = new Draw();
          var all = new ArrayList<Value>();
          for (int i = 0; i < k; i++) {
            // Products of many matrices stay finite only if these are near the identity.
            int side = (int) Math.sqrt(k);
            double one = k > 2 && i / side == i % side ? 1 : 0;
            all.add(draw.f32(one + low, one + high, n));
          }
          return all;
        };
    return new Shape(size(n), arguments, moves(kind) * n * k * FLOAT, paper);
  }

  /** Adds cases whose elements are vectors, which are given transposed. */
  private void matrix(String kind, String paper) {
    var counted = Arrays.stream(COUNTED).mapToObj(n -> matrix(kind, n / WIDTH, paper));
    var times = Arrays.stream(timed).mapToObj(n -> matrix(kind, n / 10, paper));
    add(kind, "map2_mul", counted.toList(), times.toList());
  }

  private static Shape matrix(String kind, long n, String paper) {
    return new Shape(
        size(n) + " x " + WIDTH,
        () -> List.of(new Draw().f32(0.999, 1.001, WIDTH, n)),
        moves(kind) * n * WIDTH * FLOAT,
        paper);
  }

  /** Adds cases of histograms. The width -2 stands for pairs. */
  private void hist(String op, int width, String... paper) {
    var counted = new ArrayList<Shape>();
    var times = new ArrayList<Shape>();
    long d = width > 1 ? width : 1;
    for (int b = 0; b < BINS.length; b++) {
      for (long n : COUNTED) {
        counted.add(bins(op, n / d, width, BINS[b], paper[b]));
      }
      for (long n : timed) {
        times.add(bins(op, n / d, width, BINS[b], paper[b]));
      }
    }
    add("hist", op, counted, times);
  }

  private static Shape bins(String op, long n, int width, long m, String paper) {
    long element = Math.abs(width) * FLOAT;
    Supplier<List<Value>> arguments =
        () -> {
          var draw = new Draw();
          var is = draw.indices(m, n);
          var bins = ScalarValue.i64(m);
          // Numbers whose products become subnormal would take a processor several times as long.
          double far = op.equals("mul") ? 0.001 : 0.1;
          return switch (width) {
            case 1 -> List.of(bins, is, draw.f32(1 - far, 1 + far, n));
            case -2 -> List.of(bins, is, draw.f32(-1, 1, n), draw.f32(-1, 1, n));
            default -> List.of(bins, is, draw.f32(0.9, 1.1, n, width));
          };
        };
    return new Shape(
        size(n) + (width > 1 ? " x " + width : "") + ", " + m + " bins",
        arguments,
        n * (3 * element + 8),
        paper);
  }

  static String size(long n) {
    int e = 0;
    long m = n;
    while (m >= 10 && m % 10 == 0) {
      m /= 10;
      e++;
    }
    return e < 4 ? Long.toString(n) : m == 1 ? "10^" + e : m + "*10^" + e;
  }
}
