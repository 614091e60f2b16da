package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.interpret.Counter;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The papers' programs, against plain Java and their derivatives against differences. */
final class PaperProgramsTest {
  private static final Map<String, CompiledProgram> PROGRAMS = new ConcurrentHashMap<>();

  /** In f64 throughout, so that differences say something. */
  private static CompiledProgram program(String name) {
    return PROGRAMS.computeIfAbsent(
        name,
        _ -> {
          var text = BenchCase.source(name).files().get(name + ".fut");
          var source = ProgramSource.of(name + ".fut", text.replaceAll("\\bf32\\b", "f64"));
          return Compiler.compile(source, CompileOptions.of(Backend.JVM).onCores(2));
        });
  }

  private static List<Value> wide(List<Value> values) {
    return values.stream().map(PaperProgramsTest::wide).toList();
  }

  private static Value wide(Value v) {
    return v.prim() != Prim.F32
        ? v
        : v instanceof ArrayValue a
            ? ArrayValue.ofDoubles(a.toDoubleArray(), a.shape())
            : ScalarValue.f64(((ScalarValue) v).asDouble());
  }

  private static List<Value> arguments(List<BenchCase> cases, String name, int shape) {
    var found = cases.stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
    return wide(found.counted().get(shape).arguments().get());
  }

  private static List<Value> application(String name) {
    return arguments(ApplicationCases.all(), name, 0);
  }

  private static double[] call(String program, String entry, List<Value> arguments) {
    return flat(program(program).entry(entry).call(arguments));
  }

  private static double[] flat(List<Value> values) {
    return values.stream()
        .filter(v -> v.prim().isFloat())
        .flatMapToDouble(
            v ->
                v instanceof ArrayValue a
                    ? Arrays.stream(a.toDoubleArray())
                    : Arrays.stream(new double[] {((ScalarValue) v).asDouble()}))
        .toArray();
  }

  private static void near(double[] expected, double[] actual, double tolerance) {
    double scale = Math.max(1, Arrays.stream(expected).map(Math::abs).max().orElse(0));
    assertArrayEquals(expected, actual, tolerance * scale);
  }

  @Test
  void mixture() {
    for (var file : List.of("gmm-test", "gmm")) {
      var in = AdBench.gmm(AdBench.resource(file));
      double expected = References.gmm(in);
      assertEquals(expected, call("gmm", "gmm", in)[0], 1e-9 * Math.abs(expected));
    }
    var in = new ArrayList<>(application("GMM"));
    in.set(4, ScalarValue.f64(1.3));
    in.set(5, ScalarValue.i64(2));
    assertEquals(References.gmm(in), call("gmm", "gmm", in)[0], 1e-7);
  }

  @Test
  void clustering() {
    var in = application("k-means, Newton's step");
    var expected = References.kmeans(References.rows(in.get(0)), References.rows(in.get(1)));
    near(expected[0], call("kmeans-dense", "kmeans_dense", in), 1e-12);
    near(expected[1], call("kmeans-dense", "kmeans_dense_newton", in), 1e-12);
  }

  @Test
  void sparseClustering() {
    var in = new ArrayList<>(application("sparse k-means, Newton's step"));
    // No column twice in a row.
    long n = in.get(1).shape()[0];
    var columns = new long[(int) n];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = (i * 7L) % 200;
    }
    in.set(1, ArrayValue.ofLongs(columns, n));
    var expected = References.kmeans(References.dense(in), References.rows(in.get(3)));
    near(expected[0], call("kmeans-sparse", "kmeans_sparse", in), 1e-12);
    // The step is Newton's for the columns that a centre's points have; plain k-means for all.
    near(expected[1], call("kmeans-sparse", "kmeans_sparse_newton", in), 1e-9);
  }

  @Test
  void recurrentNetworks() {
    var in = application("LSTM");
    assertEquals(References.lstm(in), call("lstm", "lstm", in)[0], 1e-12);
    var text = AdBench.dLstm(AdBench.resource("d-lstm"));
    assertEquals(References.dLstm(text), call("d-lstm", "d_lstm", text)[0], 1e-12);
  }

  @Test
  void bundleAdjustment() {
    for (var in : List.of(application("BA, Jacobian"), AdBench.ba(AdBench.resource("ba")))) {
      var expected = Arrays.stream(References.ba(in)).flatMapToDouble(Arrays::stream).toArray();
      near(expected, call("ba", "ba", in), 1e-9);
      double squares = Arrays.stream(expected).map(x -> 0.5 * x * x).sum();
      near(new double[] {squares}, call("ba", "ba_total", in), 1e-9);
    }
  }

  @Test
  void bundleAdjustmentJacobian() {
    var in = application("BA, Jacobian");
    var blocks = call("ba", "ba_jacobian", in);
    int p = (int) in.get(2).shape()[0];
    for (int column = 0; column < 15; column++) {
      int which = column < 11 ? 0 : column < 14 ? 1 : 2;
      int width = which == 0 ? 11 : which == 1 ? 3 : 1;
      int at = column < 11 ? column : column < 14 ? column - 11 : 0;
      var up = moved(in, which, width, at, 1e-6);
      var down = moved(in, which, width, at, -1e-6);
      for (int i = 0; i < 2 * p; i++) {
        int kind = i / p;
        double d = (up[kind][i % p] - down[kind][i % p]) / 2e-6;
        double exact = blocks[((i % p) * 2 + kind) * 15 + column];
        assertEquals(d, exact, 1e-5 * Math.max(1, Math.abs(d)));
      }
    }
  }

  /** The reference, with one parameter of every camera, point or weight changed. */
  private static double[][] moved(List<Value> in, int which, int width, int at, double by) {
    var xs = ((ArrayValue) in.get(which)).toDoubleArray();
    for (int i = at; i < xs.length; i += width) {
      xs[i] += by;
    }
    var all = new ArrayList<>(in);
    all.set(which, ArrayValue.ofDoubles(xs, in.get(which).shape()));
    return References.ba(all);
  }

  @Test
  void handTracking() {
    var simple = AdBench.hand(AdBench.resource("hand-simple"), false);
    near(HandReference.errors(simple, false), call("hand", "hand_simple", simple), 1e-12);
    var complicated = AdBench.hand(AdBench.resource("hand-complicated"), true);
    near(
        HandReference.errors(complicated, true),
        call("hand", "hand_complicated", complicated),
        1e-12);
  }

  @Test
  void handJacobians() {
    handJacobian("hand_simple_jacobian", "hand-simple", false);
    handJacobian("hand_complicated_jacobian", "hand-complicated", true);
  }

  private static void handJacobian(String entry, String file, boolean complicated) {
    var in = AdBench.hand(AdBench.resource(file), complicated);
    var jacobian = call("hand", entry, in);
    int theta = complicated ? 8 : 7;
    int first = complicated ? 2 : 0;
    for (int column = 0; column < first + 26; column++) {
      int which = column < first ? 9 : theta;
      var up = handMoved(in, which, column < first ? column : column - first, 1e-6, complicated);
      var down = handMoved(in, which, column < first ? column : column - first, -1e-6, complicated);
      for (int i = 0; i < up.length; i++) {
        double d = (up[i] - down[i]) / 2e-6;
        assertEquals(d, jacobian[column * up.length + i], 1e-7, entry + " " + column);
      }
    }
  }

  private static double[] handMoved(
      List<Value> in, int which, int at, double by, boolean complicated) {
    var xs = ((ArrayValue) in.get(which)).toDoubleArray();
    for (int i = at; i < xs.length; i += which == 9 ? 2 : xs.length) {
      xs[i] += by;
    }
    var all = new ArrayList<>(in);
    all.set(which, ArrayValue.ofDoubles(xs, in.get(which).shape()));
    return HandReference.errors(all, complicated);
  }

  @Test
  void neutronTransport() {
    var xs = application("XSBench");
    near(ReactorReference.xs(xs), call("xsbench", "xsbench", xs), 1e-12);
    var rs = application("RSBench");
    near(ReactorReference.rs(rs), call("rsbench", "rsbench", rs), 1e-5);
  }

  @Test
  void flow() {
    var in = application("LBM");
    var after = call("lbm", "lbm", in);
    near(References.lbm(in), after, 1e-12);
    var before = ((ArrayValue) in.get(3)).toDoubleArray();
    assertEquals(Arrays.stream(before).sum(), Arrays.stream(after).sum(), 1e-10, "mass");
  }

  @Test
  void matrixProduct() {
    var in = application("matmul");
    near(References.matmul(in.get(0), in.get(1)), call("matmul", "matmul", in), 1e-12);
  }

  static Stream<BenchCase> differentiated() {
    return Stream.concat(
        ApplicationCases.all().stream().filter(c -> c.derivative().endsWith("_ad")),
        OperatorCases.of(1000).stream());
  }

  /** In a random direction: the derivative's inner product with it, and the difference. */
  @ParameterizedTest
  @MethodSource("differentiated")
  void derivativesAreRight(BenchCase c) {
    var in =
        wide(
            (c.program().equals("operators") ? c.timed() : c.counted())
                .getFirst()
                .arguments()
                .get());
    var program = program(c.program());
    var primal = program.entry(c.primal());
    var results = primal.call(in);
    var all = new ArrayList<>(in);
    var adjoints =
        c.adjoints() ? wide(new Draw().like(results)) : List.<Value>of(ScalarValue.f64(1));
    if (c.adjoints()) {
      all.addAll(adjoints);
    }
    var derivative = program.entry(c.derivative());
    var compiled = derivative.call(all);
    near(
        flat(Interpreter.call(program.core(), c.derivative(), all, new Counter())),
        flat(compiled),
        1e-9);
    near(flat(results), flat(compiled.subList(0, results.size())), 1e-12);
    var gradient = compiled.subList(results.size(), compiled.size());
    var moving = moving(in, gradient);
    double h = 1e-6;
    var direction = direction(gradient);
    double up = inner(flat(adjoints), flat(primal.call(along(in, moving, direction, h))));
    double down = inner(flat(adjoints), flat(primal.call(along(in, moving, direction, -h))));
    double expected = (up - down) / (2 * h);
    double actual = inner(flat(gradient), flat(direction));
    double scale = Math.max(1, norm(flat(gradient)));
    assertTrue(norm(flat(gradient)) > 0);
    assertEquals(expected / scale, actual / scale, 1e-5, c.name());
  }

  /** Counted work of function and derivative over that of the function. */
  @Test
  void derivativesDoLittleMore() {
    var most =
        Map.of(
            "matmul", 3.5,
            "GMM", 3.9,
            "LSTM", 4.1,
            "k-means, Newton's step", 2.0,
            "sparse k-means, Newton's step", 2.0,
            "BA, sum of squares", 3.5,
            "HAND simple, sum of squares", 3.5,
            "XSBench", 3.2);
    for (var c : ApplicationCases.all()) {
      if (most.containsKey(c.name())) {
        var program = Counts.compile(c);
        double overhead = Counts.overhead(program, c, c.counted().getFirst());
        assertTrue(overhead <= most.get(c.name()), c.name() + ": " + overhead);
      }
    }
  }

  /** Which arguments the gradient is by: in order, by shape. */
  private static int[] moving(List<Value> in, List<Value> gradient) {
    var found = new int[gradient.size()];
    int at = in.size();
    for (int k = gradient.size() - 1; k >= 0; k--) {
      do {
        at--;
      } while (!in.get(at).prim().isFloat()
          || !Arrays.equals(in.get(at).shape(), gradient.get(k).shape()));
      found[k] = at;
    }
    return found;
  }

  private static List<Value> direction(List<Value> gradient) {
    var random = new Random(7);
    return gradient.stream()
        .<Value>map(
            g ->
                ArrayValue.ofDoubles(
                    random.doubles(((ArrayValue) g).count(), -1, 1).toArray(), g.shape()))
        .toList();
  }

  private static List<Value> along(List<Value> in, int[] moving, List<Value> direction, double by) {
    var all = new ArrayList<>(in);
    for (int k = 0; k < moving.length; k++) {
      var xs = ((ArrayValue) in.get(moving[k])).toDoubleArray();
      var ds = ((ArrayValue) direction.get(k)).toDoubleArray();
      for (int i = 0; i < xs.length; i++) {
        xs[i] += by * ds[i];
      }
      all.set(moving[k], ArrayValue.ofDoubles(xs, in.get(moving[k]).shape()));
    }
    return all;
  }

  /** Of finite elements: an empty bin's minimum is infinite. */
  private static double inner(double[] xs, double[] ys) {
    double sum = 0;
    for (int i = 0; i < xs.length; i++) {
      if (Double.isFinite(xs[i] * ys[i])) {
        sum += xs[i] * ys[i];
      }
    }
    return sum;
  }

  private static double norm(double[] xs) {
    return Math.sqrt(inner(xs, xs));
  }
}
