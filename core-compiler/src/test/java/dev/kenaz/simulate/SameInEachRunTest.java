package dev.kenaz.simulate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.Limitation;
import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * With that option, results of floats are the same to the last bit, whatever the order of blocks
 * and warps, and what the interpreter computes up to rounding.
 */
final class SameInEachRunTest {
  private static final String PROGRAM =
      """
      type tuple = (f64, f64, f64, f64, (f64, f64, f64, f64))
      entry few [n] (is: [n]i64) (xs: [n]f64) : [5]f64 = hist (+) 0 5 (map (% 7) is) xs
      entry many [n] (is: [n]i64) (xs: [n]f64) : [3000]f64 = hist (+) 0 3000 is xs
      entry narrow [n] (is: [n]i64) (xs: [n]f64) : [5]f32 =
        reduce_by_index (replicate 5 3) (+) 0 (map (% 7) is) (map f32.f64 xs)
      entry halves [n] (is: [n]i64) (xs: [n]f64) : [5]f16 =
        hist (+) 0 5 (map (% 7) is) (map (\\x -> f16.f64 (x / 64)) xs)
      entry pairs [n] (is: [n]i64) (xs: [n]f64) : ([5]f64, [5]i64, [5]f64) =
        unzip3 (hist (\\(a, b, c) (d, e, f) -> (a + d, b + e, f64.max c f)) (0, 0, -f64.inf) 5
                     (map (% 7) is) (zip3 xs is xs))
      entry matrix [n] (is: [n]i64) (xs: [n]f64) : [4][6]f64 =
        reduce_by_index_2d (replicate 4 (replicate 6 1)) (+) 0
                           (map (\\i -> (i % 5, i % 6)) is) xs
      entry rows [n] (is: [n]i64) (xs: [n]f64) : [4][3]f64 =
        reduce_by_index (replicate 4 (replicate 3 0)) (map2 (+)) [0, 0, 0] (map (% 5) is)
                        (map (\\x -> [x, x * x, 1 / x]) xs)
      entry gradient [n] (is: [n]i64) (xs: [n]f64) : [n]f64 =
        vjp (\\xs -> f64.sum (map (\\i -> f64.sin (xs[i % n] * xs[i % 3])) is)) xs 1
      entry prefix [n] (is: [n]i64) (xs: [n]f64) : [n]f64 = scan (+) 0 xs
      entry affine [n] (is: [n]i64) (xs: [n]f64) : ([n]f64, [n]f64) =
        unzip (scan (\\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0)
                    (map2 (\\i x -> (f64.i64 (i % 3) - 1, x)) is xs))
      -- tiles of few elements, so that there are several groups of them
      entry wide [n] (is: [n]i64) (xs: [n]f64) : [n]f64 =
        let add (a, b, c, d, (e, f, g, h)) (i, j, k, l, (m, n, o, p)) : tuple =
          (a + i, b + j, c + k, d + l, (e + m, f + n, g + o, h + p))
        in map (\\(a, b, c, d, (e, f, g, h)) -> a + b * c + d * e + f * g + h)
               (scan add (0, 0, 0, 0, (0, 0, 0, 0))
                     (map (\\x -> (x, x / 3, x / 5, x / 7, (x / 9, x / 11, x / 13, x / 15))) xs))
      entry segments [n] (is: [n]i64) (xs: [n]f64) : [][]f64 =
        map (scan (+) 0) (unflatten (sized (2 * (n / 2)) (take (2 * (n / 2)) xs)))
      entry sum [n] (is: [n]i64) (xs: [n]f64) : f64 = f64.sum xs
      entry ragged [n] (is: [n]i64) (xs: [n]f64) : []f64 =
        map (\\i -> f64.sum (map (/ 3) xs[i : i + i * i])) (iota (i64.min 200 (n / 200)))
      """;

  private static final CoreProgram CORE = Optimised.text(PROGRAM);
  private static final int SEEDS = 3;
  private static final List<Value> ARGUMENTS = arguments(20_000);

  private static List<Value> arguments(int n) {
    var random = new Random(7);
    var is = random.longs(n, -3, 3100).toArray();
    var xs = random.doubles(n, -1, 1).map(x -> x * Math.pow(10, random.nextInt(4))).toArray();
    return List.of(ArrayValue.ofLongs(is, n), ArrayValue.ofDoubles(xs, n));
  }

  private static List<Value> run(GpuProgram program, String entry, List<Value> in, long seed) {
    try (var run = new GpuRun(program, new SimulatedDevice(seed))) {
      return run.call(entry, in);
    }
  }

  private static int bits(Value v) {
    return v instanceof ArrayValue a
        ? Arrays.hashCode(a.toDoubleArray())
        : Double.hashCode(((ScalarValue) v).asDouble());
  }

  /** The entries whose results are not the same for all seeds. */
  private static Set<String> varying(GpuProgram program) {
    var varying = new TreeSet<String>();
    for (var entry : CORE.entries()) {
      var results = new HashSet<List<Integer>>();
      for (long seed = 1; seed <= SEEDS; seed++) {
        var made = run(program, entry.name(), ARGUMENTS, seed);
        results.add(made.stream().map(SameInEachRunTest::bits).toList());
      }
      if (results.size() > 1) {
        varying.add(entry.name());
      }
    }
    return varying;
  }

  @Test
  void orderDoesNotMatter() {
    assertEquals(Set.of(), varying(Pipelines.gpu(true).apply(CORE)));
    var without = varying(Pipelines.gpu().apply(CORE));
    assertTrue(without.containsAll(Set.of("few", "narrow", "wide")), without.toString());
  }

  @Test
  void valuesAreThoseOfTheInterpreter() {
    var program = Pipelines.gpu(true).apply(CORE);
    for (int n : new int[] {0, 1, 3000}) {
      for (var entry : CORE.entries()) {
        if (n > 0 || !entry.name().equals("gradient")) {
          var in = arguments(n);
          var expected = Interpreter.call(CORE, entry.name(), in);
          var actual = run(program, entry.name(), in, 1);
          double tolerance = entry.name().equals("halves") ? 1e-2 : 1e-5;
          var difference = ValueComparison.difference(expected, actual, tolerance);
          assertEquals(Optional.empty(), difference, entry.name());
        }
      }
    }
  }

  private static double[] sums(double... xs) {
    var text = "entry main [n] (xs: [n]f64) : [1]f64 = reduce_by_index [0.5] (+) 0 (rep 0) xs";
    var program = Pipelines.gpu(true).apply(Optimised.text(text));
    var in = List.<Value>of(ArrayValue.ofDoubles(xs, xs.length));
    return ((ArrayValue) run(program, "main", in, 1).getFirst()).toDoubleArray();
  }

  @Test
  void largeAndSmallValuesAreAddedExactly() {
    double max = Double.MAX_VALUE;
    double min = Double.MIN_VALUE;
    double inf = Double.POSITIVE_INFINITY;
    assertArrayEquals(new double[] {1.5}, sums(1e15, 1, -1e15));
    assertArrayEquals(new double[] {0.5}, sums(max, -max));
    assertArrayEquals(new double[] {max}, sums(max, max, -max));
    assertArrayEquals(new double[] {inf}, sums(max, max));
    assertArrayEquals(new double[] {0.5}, sums(min, -2 * min, 3 * min, 0, -0.0));
    assertArrayEquals(new double[] {inf}, sums(1, inf, -max, inf));
    assertArrayEquals(new double[] {-inf}, sums(1, -inf));
    assertArrayEquals(new double[] {Double.NaN}, sums(-inf, 1, inf));
    assertArrayEquals(new double[] {Double.NaN}, sums(1, Double.NaN, inf));
    assertArrayEquals(new double[] {0.5}, sums());
  }

  @Test
  void sumsOfSubnormalNumbersAreExact() {
    var text = "entry main [n] (xs: [n]f64) : [1]f64 = reduce_by_index [0] (+) 0 (rep 0) xs";
    var program = Pipelines.gpu(true).apply(Optimised.text(text));
    double min = Double.MIN_VALUE;
    var in = List.<Value>of(ArrayValue.ofDoubles(new double[] {5 * min, -min, 7 * min}, 3));
    var sum = (ArrayValue) run(program, "main", in, 1).getFirst();
    assertArrayEquals(new double[] {11 * min}, sum.toDoubleArray());
  }

  @Test
  void negativeZerosAddNothing() {
    var text =
        "entry main [n] (xs: [n]f64) : [1]f64 = reduce_by_index [-0.0] (+) (-0.0) (rep 0) xs";
    var program = Pipelines.gpu(true).apply(Optimised.text(text));
    var zeros = List.<Value>of(ArrayValue.ofDoubles(new double[] {-0.0, -0.0}, 2));
    var sum = (ArrayValue) run(program, "main", zeros, 1).getFirst();
    assertEquals(Double.NEGATIVE_INFINITY, 1 / sum.getDouble(0));
  }

  @Test
  void operatorsThatChooseAreTaken() {
    var text =
        "entry main [n] (is: [n]i64) (xs: [n]f64) : [3]f64 =\n"
            + "  hist (\\a b -> if f64.abs a > f64.abs b then a else b) 0 3 (map (% 4) is) xs";
    var core = Optimised.text(text);
    var program = Pipelines.gpu(true).apply(core);
    var in = arguments(1000);
    assertEquals(Interpreter.call(core, "main", in), run(program, "main", in, 1));
  }

  /** An accumulation inside another one is run several times; what it adds outside counts once. */
  @Test
  void updatesOfAccumulatorsFromOutsideCountOnce() {
    var text =
        """
        entry main [n] (is: [n]i64) (xs: [n]f64) : [n]f64 =
          vjp (\\xs -> f64.sum (map (\\i ->
                 let h = hist (+) 0 3 (map (% 3) is) (map (* xs[i % n]) xs)
                 in f64.sin h[0] + h[1] * xs[(i + 1) % n]) is)) xs 1
        """;
    var core = Optimised.text(text);
    var program = Pipelines.gpu(true).apply(core);
    var is = ArrayValue.ofLongs(new long[] {0, 1, 2, 5, 4}, 5);
    var in = List.<Value>of(is, ArrayValue.ofDoubles(new double[] {1, 0.5, -2, 3, 0.25}, 5));
    var difference =
        ValueComparison.difference(
            Interpreter.call(core, "main", in), run(program, "main", in, 1), 1e-9);
    assertEquals(Optional.empty(), difference);
  }

  @Test
  void otherOperatorsThatRoundAreRefused() {
    var text = "entry main [n] (is: [n]i64) (xs: [n]f64) : [5]f64 = hist (*) 1 5 is xs";
    var core = Optimised.text(text);
    var e = assertThrows(Limitation.class, () -> Pipelines.gpu(true).apply(core));
    assertTrue(e.getMessage().contains("updates of f64 in no order"), e.getMessage());
  }
}
