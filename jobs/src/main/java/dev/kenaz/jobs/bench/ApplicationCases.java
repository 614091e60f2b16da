package dev.kenaz.jobs.bench;

import dev.kenaz.jobs.bench.BenchCase.Shape;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * These are the applications of "AD for an Array Language with Nested Parallelism", 2022, section
 * 7.
 */
final class ApplicationCases {
  private ApplicationCases() {}

  static List<BenchCase> all() {
    return Stream.of(
            List.of(matmul(), gmm(), lstm(), kmeansDense(), kmeansSparse()),
            adBench(),
            List.of(xsbench(), rsbench(), lbm()))
        .flatMap(List::stream)
        .toList();
  }

  private static Shape shape(String label, Supplier<List<Value>> arguments, String paper) {
    return new Shape(label, arguments, 0, paper);
  }

  private static BenchCase of(
      String name, String program, String entry, List<Shape> counted, List<Shape> timed) {
    return new BenchCase(name, program, entry, entry + "_ad", false, counted, timed);
  }

  private static BenchCase matmul() {
    return new BenchCase(
        "matmul",
        "matmul",
        "matmul",
        "matmul_ad",
        true,
        List.of(matmul(30, 40, 50)),
        List.of(matmul(128, 128, 128), matmul(512, 512, 512), matmul(1024, 1024, 1024)));
  }

  private static Shape matmul(int n, int m, int k) {
    return shape(
        n + " x " + k + " x " + m,
        () -> {
          var draw = new Draw();
          return List.of(draw.f32(-1, 1, n, k), draw.f32(-1, 1, k, m));
        },
        "");
  }

  private static BenchCase gmm() {
    return of(
            "GMM",
            "gmm",
            "gmm",
            List.of(gmm(30, 10, 5), gmm(20, 32, 10)),
            List.of(gmm(1000, 64, 25), gmm(1000, 64, 200), gmm(10_000, 32, 25)))
        .withLarge(
            gmm(1000, 64, 200),
            gmm(1000, 128, 200),
            gmm(10_000, 32, 200),
            gmm(10_000, 64, 25),
            gmm(10_000, 128, 25),
            gmm(10_000, 128, 200));
  }

  private static Shape gmm(int n, int d, int k) {
    return shape(
        "n %d, d %d, K %d".formatted(n, d, k),
        () -> {
          var draw = new Draw();
          return List.of(
              draw.normal(Prim.F64, k),
              draw.f64(0, 1, k, d),
              draw.normal(Prim.F64, k, d * (d + 1L) / 2),
              draw.normal(Prim.F64, n, d),
              ScalarValue.f64(1),
              ScalarValue.i64(0));
        },
        "");
  }

  private static BenchCase lstm() {
    return of(
            "LSTM",
            "lstm",
            "lstm",
            List.of(lstm(4, 5, 8, 6), lstm(8, 4, 30, 20)),
            List.of(lstm(64, 20, 300, 192)))
        .withLarge(lstm(64, 20, 300, 192), lstm(1024, 20, 300, 192), lstm(1024, 300, 80, 256));
  }

  private static Shape lstm(int bs, int n, int d, int h) {
    return shape(
        "bs %d, n %d, d %d, h %d".formatted(bs, n, d, h),
        () -> {
          var draw = new Draw();
          double w = 1 / Math.sqrt(h);
          return List.of(
              draw.normal(Prim.F32, n, bs, d),
              draw.normal(Prim.F32, n, bs, d),
              draw.f32(0, 0, bs, h),
              draw.f32(0, 0, bs, h),
              draw.f32(-w, w, 4, h, d),
              draw.f32(-w, w, 4, h, h),
              draw.f32(-w, w, 4, h),
              draw.f32(-w, w, d, h),
              draw.f32(-w, w, d));
        },
        "2.0-4.0");
  }

  private static BenchCase kmeansDense() {
    return new BenchCase(
            "k-means, Newton's step",
            "kmeans-dense",
            "kmeans_dense",
            "kmeans_dense_newton",
            false,
            List.of(kmeans(5, 1000, 8), kmeans(16, 200, 32)),
            List.of(kmeans(5, 494_019, 35), kmeans(1024, 10_000, 256), kmeans(10, 2_000_000, 4)))
        .withLarge(
            kmeans(5, 494_019, 35),
            kmeans(1024, 10_000, 256),
            kmeans(10, 2_000_000, 4),
            kmeans(1024, 2_000_000, 10));
  }

  private static Shape kmeans(int k, int n, int d) {
    return shape(
        "k %d, n %d, d %d".formatted(k, n, d),
        () -> {
          var draw = new Draw();
          return List.of(draw.f32(0, 1, n, d), draw.f32(0, 1, k, d));
        },
        "");
  }

  private static BenchCase kmeansSparse() {
    return new BenchCase(
            "sparse k-means, Newton's step",
            "kmeans-sparse",
            "kmeans_sparse",
            "kmeans_sparse_newton",
            false,
            List.of(sparse(300, 200, 6000, 10)),
            List.of(sparse(6040, 3706, 1_000_000, 10)))
        .withLarge(sparse(6040, 3706, 1_000_000, 10), sparse(138_493, 26_744, 20_000_000, 10));
  }

  private static Shape sparse(int rows, int columns, int count, int k) {
    return shape(
        "%d x %d, %d values, k %d".formatted(rows, columns, count, k),
        () -> {
          var draw = new Draw();
          var starts = new long[rows + 1];
          for (int i = 0; i <= rows; i++) {
            starts[i] = (long) count * i / rows;
          }
          return List.of(
              draw.f32(1, 5, count),
              draw.indices(columns, count),
              ArrayValue.ofLongs(starts, rows + 1),
              draw.f32(0, 5, k, columns));
        },
        "");
  }

  private static List<BenchCase> adBench() {
    var simple =
        shape("hand1, 100 points", () -> AdBench.hand(AdBench.resource("hand-simple"), false), "");
    var complicated =
        shape(
            "hand1, 100 points",
            () -> AdBench.hand(AdBench.resource("hand-complicated"), true),
            "");
    var text = shape("l 2, c 1024, b 14", () -> AdBench.dLstm(AdBench.resource("d-lstm")), "");
    return List.of(
        of("BA, sum of squares", "ba", "ba_total", List.of(ba(5, 40, 200)), bas()),
        new BenchCase(
            "BA, Jacobian", "ba", "ba", "ba_jacobian", false, List.of(ba(5, 40, 200)), bas()),
        of("HAND simple, sum of squares", "hand", "hand_total", List.of(simple), List.of(simple)),
        of(
            "HAND complicated, sum of squares",
            "hand",
            "hand_complicated_total",
            List.of(complicated),
            List.of(complicated)),
        new BenchCase(
            "HAND simple, Jacobian (26 columns)",
            "hand",
            "hand_simple",
            "hand_simple_jacobian",
            false,
            List.of(simple),
            List.of(simple)),
        new BenchCase(
            "HAND complicated, Jacobian (28 columns)",
            "hand",
            "hand_complicated",
            "hand_complicated_jacobian",
            false,
            List.of(complicated),
            List.of(complicated)),
        of("D-LSTM", "d-lstm", "d_lstm", List.of(dLstm(2, 40, 14)), List.of(text)));
  }

  private static List<Shape> bas() {
    return List.of(ba(49, 7776, 31_843));
  }

  private static Shape ba(int n, int m, int p) {
    return shape(
        "n %d, m %d, p %d".formatted(n, m, p),
        () -> {
          var draw = new Draw();
          var seen = new long[2 * p];
          for (int i = 0; i < p; i++) {
            seen[2 * i] = i % n;
            seen[2 * i + 1] = i % m;
          }
          return List.of(
              draw.f64(0.05, 0.3, n, 11),
              draw.f64(1, 3, m, 3),
              draw.f64(0.5, 1, p),
              ArrayValue.ofLongs(seen, p, 2),
              draw.f64(0, 1, p, 2));
        },
        "");
  }

  private static Shape dLstm(int l, int c, int b) {
    return shape(
        "l %d, c %d, b %d".formatted(l, c, b),
        () -> {
          var draw = new Draw();
          return List.of(
              draw.normal(Prim.F64, l, 2, 4, b),
              draw.normal(Prim.F64, 3, b),
              draw.normal(Prim.F64, l, 2, b),
              draw.f64(0, 1, c, b));
        },
        "");
  }

  private static BenchCase xsbench() {
    return new BenchCase(
        "XSBench",
        "xsbench",
        "xsbench",
        "xsbench_ad",
        true,
        List.of(Reactor.xs(12, 50, 200)),
        List.of(Reactor.xs(68, 1130, 100_000)));
  }

  private static BenchCase lbm() {
    return new BenchCase(
        "LBM",
        "lbm",
        "lbm",
        "lbm_ad",
        true,
        List.of(lbm(4, 5, 6, 3)),
        List.of(lbm(40, 40, 50, 10)));
  }

  private static Shape lbm(int nz, int ny, int nx, int steps) {
    return shape(
        "%d x %d x %d cells, %d steps".formatted(nz, ny, nx, steps),
        () -> {
          var draw = new Draw();
          var solid = new boolean[nz * ny * nx];
          for (int i = 0; i < solid.length; i++) {
            solid[i] = i % 7 == 0;
          }
          return List.of(
              ScalarValue.i64(steps),
              ScalarValue.f32(1.2f),
              ArrayValue.ofBooleans(solid, nz, ny, nx),
              draw.f32(0.02, 0.1, nz, ny, nx, 19));
        },
        "");
  }

  private static BenchCase rsbench() {
    return new BenchCase(
        "RSBench",
        "rsbench",
        "rsbench",
        "rsbench_ad",
        true,
        List.of(Reactor.rs(12, 40, 10, 100)),
        List.of(Reactor.rs(68, 1000, 100, 10_000)));
  }
}
