package dev.kenaz.jvm;

import com.sun.management.OperatingSystemMXBean;
import dev.kenaz.ad.Differentiate;
import dev.kenaz.ir.Atom;
import dev.kenaz.ir.BinaryOp;
import dev.kenaz.ir.Builder;
import dev.kenaz.ir.Const;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Exp.Rearrange;
import dev.kenaz.ir.Exp.Reduce;
import dev.kenaz.ir.Exp.Vjp;
import dev.kenaz.ir.TestPrograms;
import dev.kenaz.ir.Type;
import dev.kenaz.ir.Var;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Times programs that show what the backend's code is worth; run by hand, prints a line each. */
final class JvmBench {
  private static final Prim P = Prim.F64;
  private static final Type F = Type.scalar(P);

  private JvmBench() {}

  public static void main(String[] args) {
    int workers = args.length > 0 ? Integer.parseInt(args[0]) : 1;
    var only = args.length > 1 ? args[1] : "";
    var options = JvmOptions.defaults().withWorkers(workers);
    int n = 1 << 25;
    if ("sum".contains(only)) {
      report("sum", sum(), options, 8.0 * n, "GB", random(n));
      int small = 1 << 18;
      report("sum 2 MB", sum(), options, 8.0 * small, "GB", random(small));
    }
    if ("dot".contains(only)) {
      report("dot", dot(), options, 16.0 * n, "GB", random(n), random(n));
    }
    if ("map".contains(only)) {
      report("map", map(), options, 16.0 * n, "GB", random(n));
    }
    if ("rows".contains(only)) {
      report("row sums", rowSums(), options, 8.0 * n, "GB", random(n).reshape(n / 64, 64));
    }
    if ("kmeans".contains(only)) {
      int points = 1 << 20;
      for (int d : new int[] {16, 3}) {
        var ps = random(points * d).reshape(points, d);
        var cs = random(16 * d).reshape(16, d);
        double flops = 3.0 * points * d * 16;
        report("kmeans cost d=" + d, kmeans(), options, flops, "Gflop", ps, cs);
        report("kmeans grad d=" + d, kmeansGradient(), options, flops, "Gflop", ps, cs);
      }
    }
    if ("matmul".contains(only)) {
      int m = 512;
      var a = random(m * m).reshape(m, m);
      report("matmul", matmul(), options, 2.0 * m * m * m, "Gflop", a, a);
    }
    if ("bridge".contains(only)) {
      bridge(options);
    }
  }

  /** Processor time of ten calls from the first on: what is never compiled never becomes fast. */
  private static void bridge(JvmOptions options) {
    var file = Path.of("src/test/resources/programs/larger/brownian_bridge.fut");
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    try (var program = Pipelines.jvm(options).apply(Optimised.file(file))) {
      var ends = random(100_000);
      long start = system.getProcessCpuTime();
      for (int k = 0; k < 10; k++) {
        program.call("main", List.of(ends));
      }
      double seconds = (system.getProcessCpuTime() - start) / 1e9;
      System.out.printf("%-18s %9.2f s of processor time%n", "brownian bridge", seconds);
    }
  }

  private static ArrayValue random(int n) {
    var random = new Random(1);
    return ArrayValue.ofDoubles(random.doubles(n).toArray());
  }

  private static void report(
      String name, CoreProgram p, JvmOptions options, double amount, String unit, Value... args) {
    try (var program = Pipelines.jvm(options).apply(p)) {
      double best = Double.MAX_VALUE;
      double first = 0;
      long end = System.nanoTime() + 3_000_000_000L;
      int runs = 0;
      while (System.nanoTime() < end && runs < 100 || runs < 4) {
        long start = System.nanoTime();
        program.call("main", List.of(args));
        double t = (System.nanoTime() - start) / 1e9;
        first = runs++ == 0 ? t : first;
        best = Math.min(best, t);
      }
      System.out.printf(
          "%-18s %9.3f ms, first %9.1f ms, %7.2f %s/s%n",
          name, best * 1e3, first * 1e3, amount / best / 1e9, unit);
    }
  }

  private static Reduce plus(Builder b) {
    return new Reduce(b.operator(BinaryOp.ADD, P), List.of(Atom.of(P, 0)), true);
  }

  private static CoreProgram sum() {
    var n = TestPrograms.size("n");
    var xs = TestPrograms.array("xs", P, n);
    return TestPrograms.main(
        List.of(n),
        List.of(xs),
        (b, _) ->
            b.screma(
                n, List.of(xs), List.of(), List.of(plus(b)), b.lambda(List.of(F), (_, v) -> v)));
  }

  private static CoreProgram dot() {
    var n = TestPrograms.size("n");
    var xs = TestPrograms.array("xs", P, n);
    var ys = TestPrograms.array("ys", P, n);
    return TestPrograms.main(
        List.of(n),
        List.of(xs, ys),
        (b, _) ->
            b.screma(
                n,
                List.of(xs, ys),
                List.of(),
                List.of(plus(b)),
                b.lambda(List.of(F, F), (lb, v) -> List.of(lb.mul(v.get(0), v.get(1))))));
  }

  private static CoreProgram map() {
    var n = TestPrograms.size("n");
    var xs = TestPrograms.array("xs", P, n);
    return TestPrograms.main(
        List.of(n),
        List.of(xs),
        (b, _) ->
            b.map(
                n,
                List.of(xs),
                (lb, v) -> List.of(lb.add(lb.mul(v.get(0), Atom.of(P, 2)), Atom.of(P, 1)))));
  }

  private static CoreProgram rowSums() {
    var n = TestPrograms.size("n");
    var m = TestPrograms.size("m");
    var xss = TestPrograms.array("xss", P, n, m);
    return TestPrograms.main(
        List.of(n, m),
        List.of(xss),
        (b, _) ->
            b.map(
                n,
                List.of(xss),
                (mb, row) ->
                    mb.screma(
                        m, row, List.of(), List.of(plus(mb)), mb.lambda(List.of(F), (_, v) -> v))));
  }

  private static CoreProgram matmul() {
    var n = TestPrograms.size("n");
    var xs = TestPrograms.array("xs", P, n, n);
    var ys = TestPrograms.array("ys", P, n, n);
    return TestPrograms.main(
        List.of(n),
        List.of(xs, ys),
        (b, _) -> {
          var t = b.bind("t", new Rearrange(List.of(1, 0), ys));
          return b.map(
              n,
              List.of(xs),
              (rb, row) ->
                  rb.map(
                      n,
                      List.of(t),
                      (cb, column) ->
                          cb.screma(
                              n,
                              List.of(row.getFirst(), column.getFirst()),
                              List.of(),
                              List.of(plus(cb)),
                              cb.lambda(
                                  List.of(F, F), (lb, v) -> List.of(lb.mul(v.get(0), v.get(1)))))));
        });
  }

  /** The sum over the points of the least squared distance to a centre. */
  private static Atom cost(Builder b, Atom n, Atom k, Atom d, Var points, Var centres) {
    var row = Type.of(P, List.of(d));
    var nearest =
        b.lambda(
            List.of(row),
            (pb, p) -> {
              var least =
                  new Reduce(
                      pb.operator(BinaryOp.MIN, P),
                      List.of(Atom.of(P, Double.POSITIVE_INFINITY)),
                      true);
              var distance =
                  pb.lambda(
                      List.of(row),
                      (cb, c) ->
                          cb.screma(
                              d,
                              List.of(p.getFirst(), c.getFirst()),
                              List.of(),
                              List.of(plus(cb)),
                              cb.lambda(
                                  List.of(F, F),
                                  (lb, v) -> {
                                    var x = lb.sub(v.get(0), v.get(1));
                                    return List.of(lb.mul(x, x));
                                  })));
              return pb.screma(k, List.of(centres), List.of(), List.of(least), distance);
            });
    return b.screma(n, List.of(points), List.of(), List.of(plus(b)), nearest).getFirst();
  }

  private static CoreProgram kmeans() {
    var n = TestPrograms.size("n");
    var k = TestPrograms.size("k");
    var d = TestPrograms.size("d");
    var points = TestPrograms.array("points", P, n, d);
    var centres = TestPrograms.array("centres", P, k, d);
    return TestPrograms.main(
        List.of(n, k, d),
        List.of(points, centres),
        (b, _) -> List.of(cost(b, n, k, d, points, centres)));
  }

  static CoreProgram kmeansGradient() {
    var n = TestPrograms.size("n");
    var k = TestPrograms.size("k");
    var d = TestPrograms.size("d");
    var points = TestPrograms.array("points", P, n, d);
    var centres = TestPrograms.array("centres", P, k, d);
    var program =
        TestPrograms.main(
            List.of(n, k, d),
            List.of(points, centres),
            (b, _) -> {
              var f =
                  b.lambda(
                      List.of(centres.type()),
                      (lb, c) -> List.of(cost(lb, n, k, d, points, c.getFirst())));
              var one = new Const(ScalarValue.f64(1));
              return b.bindAll("vjp", new Vjp(f, List.of(centres), List.of(one), Optional.empty()));
            });
    return Differentiate.PASS.apply(program);
  }
}
