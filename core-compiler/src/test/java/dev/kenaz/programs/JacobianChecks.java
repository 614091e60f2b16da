package dev.kenaz.programs;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.Limitation;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Jacobians of a function from n to n numbers: columns by {@code jvp}, rows by {@code vjp}, both
 * vector modes, on the JVM, by dual numbers in the interpreter, and by central differences where
 * these can be trusted; Hessians by all four pairs of modes.
 */
final class JacobianChecks {
  private JacobianChecks() {}

  private static final String PRELUDE =
      """
      type choice = #a f64 | #b f64 f64 | #c
      def onehot (n: i64) (i: i64) : [n]f64 = tabulate n (\\j -> if i == j then 1 else 0)
      def units (n: i64) : [n][n]f64 = tabulate n (onehot n)
      def weights (n: i64) : [n]f64 = tabulate n (\\i -> 1.5 - 0.7 * f64.i64 i)
      """;

  private static final String ENTRIES =
      """
      entry primal [n] (is: [n]i64) (c: f64) (xs: [n]f64) : [n]f64 = f is c xs
      entry jvps [n] (is: [n]i64) (c: f64) (xs: [n]f64) = tabulate n (\\i -> jvp (f is c) xs (onehot n i))
      entry jmps [n] (is: [n]i64) (c: f64) (xs: [n]f64) = jmp (f is c) xs (units n)
      entry vjps [n] (is: [n]i64) (c: f64) (xs: [n]f64) = transpose (tabulate n (\\i -> vjp (f is c) xs (onehot n i)))
      entry mjps [n] (is: [n]i64) (c: f64) (xs: [n]f64) = transpose (mjp (f is c) xs (units n))
      def grad [n] (is: [n]i64) (c: f64) (xs: [n]f64) : [n]f64 = vjp (f is c) xs (weights n)
      def tang [n] (is: [n]i64) (c: f64) (xs: [n]f64) (d: [n]f64) : f64 = f64.sum (map2 (*) (weights n) (jvp (f is c) xs d))
      entry hfr [n] (is: [n]i64) (c: f64) (xs: [n]f64) = tabulate n (\\i -> jvp (grad is c) xs (onehot n i))
      entry hrr [n] (is: [n]i64) (c: f64) (xs: [n]f64) = mjp (grad is c) xs (units n)
      entry hrf [n] (is: [n]i64) (c: f64) (xs: [n]f64) = tabulate n (\\i -> vjp (\\x -> tang is c x (onehot n i)) xs 1)
      entry hff [n] (is: [n]i64) (c: f64) (xs: [n]f64) = jmp (\\x -> tabulate n (\\i -> tang is c x (onehot n i))) xs (units n)
      """;

  private record Point(long[] is, double c, double[] xs) {
    List<Value> arguments(double[] at) {
      return List.of(
          ArrayValue.ofLongs(is, is.length),
          ScalarValue.f64(c),
          ArrayValue.ofDoubles(at, at.length));
    }
  }

  private static final List<Point> POINTS =
      List.of(
          new Point(new long[] {2, -1, 0}, 0.8, new double[] {0.37, 0.91, -0.43}),
          new Point(new long[] {1, 1, 3, 0}, -0.6, new double[] {0.0, 1.3, 0.0, 1.3}),
          new Point(new long[] {0}, 0.5, new double[] {0.62}),
          new Point(new long[] {}, 0.5, new double[] {}));

  /** What is computed of a function. */
  enum Ways {
    /** One derivative at a time. */
    SINGLE(List.of("jvps", "vjps"), List.of("hfr", "hrf")),
    /** All of the Jacobian at once. */
    VECTORS(List.of("jmps", "mjps"), List.of("hff", "hrr"));

    private final List<String> jacobians;
    private final List<String> hessians;

    Ways(List<String> jacobians, List<String> hessians) {
      this.jacobians = jacobians;
      this.hessians = hessians;
    }

    private String entries() {
      var wanted = new ArrayList<>(jacobians);
      wanted.addAll(hessians);
      wanted.add("primal");
      return ENTRIES
          .lines()
          .filter(l -> !l.startsWith("entry") || wanted.contains(l.split(" ")[1]))
          .collect(Collectors.joining("\n", "", "\n"));
    }
  }

  /**
   * What is wrong, if anything.
   *
   * @param loopMemory what loops may keep, in bytes
   */
  static Optional<String> failure(String f, Ways ways, long loopMemory) {
    var text = PRELUDE + "def f [n] (is: [n]i64) (c: f64) (xs: [n]f64) : [n]f64 =\n  " + f + "\n";
    try (var oracle = compile(text + ENTRIES, Backend.INTERPRET, loopMemory);
        var jvm = compile(text + ways.entries(), Backend.JVM, loopMemory)) {
      for (var p : POINTS) {
        var wrong = failure(oracle, jvm, p, ways);
        if (wrong.isPresent()) {
          return wrong.map(w -> w + "\n  at " + Arrays.toString(p.xs()));
        }
      }
      return Optional.empty();
    } catch (UserError e) {
      return Optional.of("rejected: " + e.getMessage());
    } catch (Limitation e) {
      return Optional.of("limitation: " + e.getMessage());
    } catch (CompilerBug e) {
      return Optional.of("bug: " + e.getMessage());
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      return Optional.of("crash: " + e);
    }
  }

  private static CompiledProgram compile(String text, Backend backend, long loopMemory) {
    var options = CompileOptions.of(backend).verified().onCores(1).withLoopMemory(loopMemory);
    return Compiler.compile("random.fut", text, options);
  }

  private static Optional<String> failure(
      CompiledProgram oracle, CompiledProgram jvm, Point p, Ways ways) {
    double[] value;
    try {
      value = doubles(oracle, "primal", p, p.xs());
    } catch (UserError e) {
      return Optional.empty();
    }
    if (!tame(value)) {
      return Optional.empty();
    }
    var wrong = compared("jvm: primal", value, doubles(jvm, "primal", p, p.xs()), 1e-9);
    if (wrong.isPresent()) {
      return wrong;
    }
    var expected = doubles(oracle, "jvps", p, p.xs());
    for (var way : ways.jacobians) {
      wrong = compared(way + ": jacobian", expected, doubles(jvm, way, p, p.xs()), 1e-8);
      if (wrong.isPresent()) {
        return wrong;
      }
    }
    wrong = compared("oracle: vjp", expected, doubles(oracle, "vjps", p, p.xs()), 1e-8);
    if (wrong.isPresent()) {
      return wrong;
    }
    wrong = differences(oracle, p, value, expected);
    if (wrong.isPresent() || !tame(expected)) {
      return wrong;
    }
    var hessian = doubles(oracle, ways == Ways.SINGLE ? "hrf" : "hrr", p, p.xs());
    for (var way : ways.hessians) {
      wrong = compared(way + ": hessian", hessian, doubles(jvm, way, p, p.xs()), 1e-7);
      if (wrong.isPresent()) {
        return wrong;
      }
    }
    return Optional.empty();
  }

  /** Where one-sided differences at two distances agree, so must the Jacobian. */
  private static Optional<String> differences(
      CompiledProgram oracle, Point p, double[] value, double[] jacobian) {
    int n = p.xs().length;
    for (int i = 0; i < n; i++) {
      var up = moved(oracle, p, i, 1e-5);
      var down = moved(oracle, p, i, -1e-5);
      var near = moved(oracle, p, i, 2e-6);
      if (up == null || down == null || near == null) {
        continue;
      }
      for (int j = 0; j < value.length; j++) {
        double right = (up[j] - value[j]) / 1e-5;
        double left = (value[j] - down[j]) / 1e-5;
        double closer = (near[j] - value[j]) / 2e-6;
        double scale = 1 + Math.max(Math.abs(right), Math.abs(value[j]));
        boolean smooth =
            Math.abs(right - left) < 2e-3 * scale && Math.abs(right - closer) < 2e-3 * scale;
        double got = jacobian[i * n + j];
        if (smooth && !(Math.abs(got - (right + left) / 2) < 1e-3 * scale)) {
          return Optional.of(
              "differences: d%d/d%d is %s, not %s".formatted(j, i, (right + left) / 2, got));
        }
      }
    }
    return Optional.empty();
  }

  private static double[] moved(CompiledProgram oracle, Point p, int i, double h) {
    var xs = p.xs().clone();
    xs[i] += h;
    try {
      var y = doubles(oracle, "primal", p, xs);
      return tame(y) ? y : null;
    } catch (UserError e) {
      return null;
    }
  }

  private static Optional<String> compared(String what, double[] x, double[] y, double tolerance) {
    double scale = 1;
    for (double v : x) {
      scale = Double.isFinite(v) ? Math.max(scale, Math.abs(v)) : scale;
    }
    for (int i = 0; i < x.length; i++) {
      boolean finite = Double.isFinite(x[i]) && Math.abs(x[i]) < 1e9;
      if (x.length != y.length || finite && !(Math.abs(x[i] - y[i]) <= tolerance * scale)) {
        return Optional.of(
            "%s\n  is  %s\n  not %s".formatted(what, Arrays.toString(y), Arrays.toString(x)));
      }
    }
    return Optional.empty();
  }

  private static boolean tame(double[] xs) {
    return Arrays.stream(xs).allMatch(x -> Math.abs(x) < 1e7);
  }

  private static double[] doubles(CompiledProgram program, String entry, Point p, double[] at) {
    try {
      return ((ArrayValue) program.entry(entry).call(p.arguments(at)).getFirst()).toDoubleArray();
    } catch (UserError e) {
      if (entry.equals("primal")) {
        throw e;
      }
      throw new AssertionError(entry + ": " + e.getMessage());
    }
  }
}
