package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Derivatives of histograms of rows: on cores by all elements at once, on GPUs by columns. Forward
 * mode, which knows neither, tells them apart from what is wrong.
 */
final class HistogramsOfRowsTest {
  private static final String PROGRAM =
      """
      def op (x: f64) (y: f64) : f64 = OP
      def hist [n][d][m] (dest: *[m][d]f64) (is: [n]i64) (xs: [n][d]f64) : [m][d]f64 =
        reduce_by_index dest (map2 op) (replicate d NEUTRAL) is xs
      def neutral m d : *[m][d]f64 = replicate m (replicate d NEUTRAL)
      entry alone [n][d][m] (is: [n]i64) (xs: [n][d]f64) (ys: [m][d]f64) =
        vjp2 (hist (neutral m d) is) xs ys
      entry before [n][d][m] (is: [n]i64) (xs: [n][d]f64) (ys: [m][d]f64) =
        vjp2 (\\(dest, xs) -> hist (copy dest) is xs) (ys, xs) ys
      entry twice [n][d][m] (is: [n]i64) (xs: [n][d]f64) (ys: [m][d]f64) =
        vjp (\\xs -> vjp (hist (neutral m d) is) xs ys) xs xs
      entry forward [n][d][m] (is: [n]i64) (xs: [n][d]f64) (ys: [m][d]f64) =
        tabulate_2d n d (\\i j ->
          let t = tabulate_2d n d (\\k l -> f64.bool (i == k && j == l))
          let y = jvp (hist (neutral m d) is) xs t
          in f64.sum (flatten (map2 (map2 (*)) y ys)))
      """;

  private static Value rows(Random random, double[] values, long n, long d) {
    var xs = new double[Math.toIntExact(n * d)];
    for (int i = 0; i < xs.length; i++) {
      xs[i] = values[random.nextInt(values.length)];
    }
    return ArrayValue.ofDoubles(xs, n, d);
  }

  private static List<Value> draw(Random random, double[] values, int bins) {
    long n = new int[] {0, 1, 5, 40}[random.nextInt(4)];
    long d = random.nextInt(4);
    long m = random.nextInt(bins);
    var far = new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 1L << 62, -1, m, m + 1, 1L << 63 / 3};
    var is = new long[(int) n];
    for (int i = 0; i < n; i++) {
      is[i] = random.nextInt(4) == 0 ? far[random.nextInt(far.length)] : random.nextLong(m + 1);
    }
    return List.of(
        ArrayValue.ofLongs(is, n), rows(random, values, n, d), rows(random, values, m, d));
  }

  /** The program as each backend runs it. */
  private record Compiled(Map<Backend, CompiledProgram> programs) implements AutoCloseable {
    static Compiled of(String op, String neutral) {
      var text = PROGRAM.replace("OP", op).replace("NEUTRAL", neutral);
      var programs = new EnumMap<Backend, CompiledProgram>(Backend.class);
      for (var b : Backend.EVERYWHERE) {
        programs.put(b, Compiler.compile("rows.fut", text, CompileOptions.of(b)));
      }
      return new Compiled(programs);
    }

    List<Value> call(Backend backend, String entry, List<Value> args) {
      return programs.get(backend).entry(entry).call(args);
    }

    @Override
    public void close() {
      programs.values().forEach(CompiledProgram::close);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "f64.min x y, f64.inf, 1",
    "f64.max x y, (-f64.inf), 2",
    "x * y, 1, 3",
    "x + y + x * y, 0, 4",
    "x + y, 0, 5"
  })
  void sameOnAllBackendsAndByForwardMode(String op, String neutral, long seed) {
    var random = new Random(seed);
    // distinct numbers, as of two equal ones forward mode may take the other one's tangent
    var values = random.doubles(400, 0.5, 2).toArray();
    try (var program = Compiled.of(op, neutral)) {
      for (int round = 0; round < 20; round++) {
        var args = draw(random, values, 6);
        for (var entry : List.of("alone", "before", "twice")) {
          var expected = program.call(Backend.INTERPRET, entry, args);
          for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
            same(expected, program.call(backend, entry, args), entry + " " + args);
          }
        }
        var reverse = program.call(Backend.INTERPRET, "alone", args);
        var forward = program.call(Backend.INTERPRET, "forward", args);
        same(List.of(reverse.getLast()), forward, "forward " + args);
      }
    }
  }

  /**
   * Of equal elements the first is chosen; neither NaN nor the sign of a zero makes a difference.
   */
  @ParameterizedTest
  @CsvSource({"f64.min x y, f64.inf", "f64.max x y, (-f64.inf)"})
  void tiesAndWhatIsNoNumber(String op, String neutral) {
    var random = new Random(7);
    double inf = Double.POSITIVE_INFINITY;
    var values = new double[] {0, -0.0, 1, 1, 2, -1, inf, -inf, Double.NaN, 3};
    try (var program = Compiled.of(op, neutral)) {
      for (int round = 0; round < 60; round++) {
        var args = new ArrayList<>(draw(random, values, 5));
        var shape = ((ArrayValue) args.get(2)).shape();
        args.set(2, rows(random, new double[] {1, 2, 3}, shape[0], shape[1]));
        var expected = program.call(Backend.SIMULATE, "alone", args);
        for (var backend : List.of(Backend.JVM, Backend.INTERPRET)) {
          same(expected, program.call(backend, "alone", args), backend + " " + args);
        }
      }
    }
  }

  private static void same(List<Value> expected, List<Value> found, String what) {
    assertEquals(Optional.empty(), ValueComparison.difference(expected, found), what);
  }
}
