package dev.kenaz.ad;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of equal extrema of a bin, forward mode takes the first one's tangent, also on many threads. */
final class ForwardHistExtremumTest {
  private static final String TEXT =
      """
      def f [n] (d: [3]f64) (is: [n]i64) (xs: [n]f64) = reduce_by_index (copy d) f64.max (-f64.inf) is xs
      entry one [n] (d: [3]f64) (dd: [3]f64) (is: [n]i64) (xs: [n]f64) (ts: [n]f64) = jvp (\\(d,xs) -> f d is xs) (d,xs) (dd,ts)
      entry rows [n] (is: [n]i64) (xs: [n]f64) (ts: [n]f64) = jvp (\\xs -> hist (map2 f64.min) (replicate 2 f64.inf) 3 is (map (\\x -> [x, x*x]) xs)) xs ts
      entry two [n] (is: [n]i64) (js: [n]i64) (xs: [n]f64) (ts: [n]f64) = jvp (\\xs -> reduce_by_index_2d (replicate 2 (replicate 3 1f64)) f64.max (-f64.inf) (zip (map (%2) is) js) (map (*2) xs)) xs ts
      entry mapped [n] (is: [n]i64) (xs: [n]f64) (ts: [n]f64) = jvp (\\xs -> map (\\c -> hist f64.max (-f64.inf) 3 is (map (*c) xs)) [1,2,-1]) xs ts
      entry second [n] (is: [n]i64) (xs: [n]f64) (ts: [n]f64) = vjp (\\xs -> f64.sum (jvp (\\xs -> hist f64.max (-f64.inf) 3 is (map (\\x -> x*x) xs)) xs ts)) xs 1
      entry deep [n] (is: [n]i64) (xs: [n]f64) (ts: [n]f64) = jvp (\\xs -> hist (map2 (map2 f64.min)) (replicate 2 (replicate 1 f64.inf)) 3 is (map (\\x -> [[x], [x*x]]) xs)) xs ts
      """;

  private static final JvmProgram JVM =
      Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(Optimised.text(TEXT));
  private static final GpuProgram GPU =
      Pipelines.gpu().apply(Optimised.text(TEXT, CompileOptions.of(Backend.SIMULATE)));

  private static Value integers(int n, int from, int to) {
    return ArrayValue.ofLongs(new Random(n).longs(n, from, to).toArray(), n);
  }

  private static Value numbers(int n, int from, int to) {
    return ArrayValue.ofDoubles(new Random(n + to).ints(n, from, to).asDoubleStream().toArray(), n);
  }

  /** The order in which threads update bins depends on the device's seed. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 90, 1000})
  void takesTheFirstOfEqualElements(int n) {
    var bins = integers(n, -1, 4);
    var xs = numbers(n, -2, 3);
    var tangents = numbers(n, 1, 99);
    var before = ArrayValue.ofDoubles(new double[] {1, 2, -3}, 3);
    var change = ArrayValue.ofDoubles(new double[] {0.5, 0.25, 0.125}, 3);
    for (long seed = 1; seed <= 4; seed++) {
      same("one", seed, before, change, bins, xs, tangents);
      same("rows", seed, bins, xs, tangents);
      same("two", seed, bins, integers(n, 0, 4), xs, tangents);
      same("mapped", seed, bins, xs, tangents);
      same("second", seed, bins, xs, tangents);
      same("deep", seed, bins, xs, tangents);
    }
  }

  /** Operators that name their second operand first, by reverse and by forward mode. */
  private static final String EXCHANGED =
      """
      def larger a b = f64.max b a
      entry vjps [n] (xs: [n]f64) : [3][n]f64 =
        [vjp (reduce larger (-f64.inf)) xs 1, vjp (\\xs -> f64.sum (scan larger (-f64.inf) xs)) xs 1
        , vjp (hist larger (-f64.inf) 1 (replicate n 0)) xs [1]]
      entry jvps [n] (xs: [n]f64) : [3]f64 =
        let ts = map f64.i64 (1...n)
        in [jvp (reduce larger (-f64.inf)) xs ts, f64.sum (jvp (scan larger (-f64.inf)) xs ts)
           , (jvp (hist larger (-f64.inf) 1 (replicate n 0)) xs ts)[0]]
      """;

  @Test
  void anExtremumIsTheFirstWhateverOperandIsNamedFirst() {
    var xs = List.<Value>of(ArrayValue.ofDoubles(new double[] {1, 2, 2, 0}, 4));
    double[] first = {0, 1, 0, 0, 1, 3, 0, 0, 0, 1, 0, 0};
    var expected = List.<Value>of(ArrayValue.ofDoubles(first, 3, 4));
    var tangents = List.<Value>of(ArrayValue.ofDoubles(new double[] {2, 7, 2}, 3));
    for (var backend : List.of(Backend.JVM, Backend.SIMULATE)) {
      try (var p = Compiler.compile("t.fut", EXCHANGED, CompileOptions.of(backend))) {
        assertEquals(
            Optional.empty(), ValueComparison.difference(expected, p.entry("vjps").call(xs)));
        assertEquals(
            Optional.empty(), ValueComparison.difference(tangents, p.entry("jvps").call(xs)));
      }
    }
  }

  private static void same(String entry, long seed, Value... arguments) {
    var all = List.of(arguments);
    try (var run = new GpuRun(GPU, new SimulatedDevice(seed))) {
      var difference = ValueComparison.difference(JVM.call(entry, all), run.call(entry, all));
      assertEquals(Optional.empty(), difference, entry);
    }
  }
}
