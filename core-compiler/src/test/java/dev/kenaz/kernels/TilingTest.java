package dev.kenaz.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Products of matrices go by tiles in shared memory, however their operands are read. */
final class TilingTest {
  private static final String PROGRAM =
      """
      def mm [n][m][k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
        map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a
      entry product [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (_: [n][k]f64) = mm a b
      -- operands that are indexed inside the reduction
      entry reverse [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (c: [n][k]f64) =
        vjp (\\(a, b) -> mm a b) (a, b) c
      entry indexed [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (_: [n][k]f64) =
        tabulate_2d n k (\\i j -> f64.sum (map (\\l -> a[i, l] * b[l, j]) (iota m)))
      -- two reductions of different lengths: no one tiled kernel
      entry gate [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (c: [n][k]f64) =
        let square = opaque (tabulate_2d k k (\\i j -> f64.i64 ((i * 3 + j) % 7)))
        in map2 (\\r u -> map3 (\\x y s ->
                            f64.abs (f64.sum (map2 (*) r x) + f64.sum (map2 (*) u y) * s))
                          (transpose b) square u)
             a c
      -- all rows add to one matrix, in a nest that does more than that
      entry norms [n][m][k] (a: [n][m]f64) (b: [m][k]f64) (_: [n][k]f64) =
        vjp (\\b -> map (\\x -> let ys = map (\\c -> f64.sum (map2 (*) c x)) (transpose b)
                               in f64.sqrt (1 + f64.sum (map (\\y -> y * y) ys))) a |> f64.sum) b 1
      -- a product between other things, for so many rows that each could have a thread
      entry lengths [n][m][k] (a: [n][m]f64) (b: [m][k]f64) =
        map (\\x -> let ys = map (\\c -> f64.sum (map2 (*) c x)) (transpose b)
                   in f64.sqrt (1 + f64.sum (map (\\y -> y * y) ys))) a
      -- a product for each of several pairs of matrices
      entry pairs [s] [n][m][k] (a: [s][n][m]f64) (b: [s][m][k]f64) = map2 mm a b
      -- two dimensions of rows add to one matrix
      entry batches [s] [n][m][k] (a: [s][n][m]f64) (b: [m][k]f64) (c: [s][n][k]f64) =
        vjp (\\b -> map (\\x -> mm x b) a) b c
      -- a part of the rows only
      entry parts [s] [n][m][k] (a: [s][n][m]f64) (b: [m][k]f64) (c: [s][n][k]f64) =
        vjp (\\b -> map (\\x -> mm (tail x) b) a) b (map tail c)
      """;

  private static final CoreProgram CORE = Optimised.text(PROGRAM);

  private static final GpuProgram GPU = Pipelines.gpu().apply(CORE);

  private static final JvmProgram JVM =
      Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(CORE);

  private static Value numbers(long n, long m) {
    var random = new Random(n * 31 + m);
    return ArrayValue.ofDoubles(random.ints(n * m, -9, 9).asDoubleStream().toArray(), n, m);
  }

  /** What the kernels are for that run, transpositions left out. */
  private static List<String> kernels(String entry, List<Value> arguments) {
    return kernels(new CountingDevice(), entry, arguments);
  }

  private static List<String> kernels(CountingDevice device, String entry, List<Value> arguments) {
    new GpuRun(GPU, device).call(entry, arguments);
    var whats = new ArrayList<String>();
    for (var name : device.asked().launches().keySet()) {
      GPU.kernels().stream()
          .filter(k -> k.name().equals(name) && !k.what().equals("transpose"))
          .forEach(k -> whats.add(k.what()));
    }
    return whats;
  }

  /** Many squares, few of half the side, and sides that are no multiples of them. */
  @ParameterizedTest
  @CsvSource({"130, 20, 130", "64, 40, 300", "1000, 17, 25"})
  void goByTiles(long n, long m, long k) {
    var arguments = List.of(numbers(n, m), numbers(m, k), numbers(n, k));
    assertEquals(List.of("map tiled"), kernels("product", arguments));
    assertEquals(List.of("map tiled"), kernels("indexed", arguments));
    for (var entry : List.of("product", "reverse")) {
      try (var run = new GpuRun(GPU, new SimulatedDevice(n))) {
        var expected = JVM.call(entry, arguments);
        assertEquals(
            Optional.empty(), ValueComparison.difference(expected, run.call(entry, arguments)));
      }
    }
  }

  /**
   * The products of 70,000 rows take 22 MB, which are kept where an eighth of the memory is more.
   */
  @Test
  void productsAreKeptThatTakeLittleOfTheMemory() {
    var arguments = List.of(numbers(70_000, 40), numbers(40, 40));
    assertTrue(kernels("lengths", arguments).contains("map tiled"));
    var kernels = kernels(new CountingDevice(180L << 20), "lengths", arguments);
    assertTrue(kernels.contains("map tiled"), kernels::toString);
    kernels = kernels(new CountingDevice(170L << 20), "lengths", arguments);
    assertFalse(kernels.contains("map tiled"), kernels::toString);
  }

  /** Each of the two is tiled where there is enough of it, and what needs both comes after them. */
  @ParameterizedTest
  @CsvSource({"130, 20, 130, 2", "20, 40, 30, 0"})
  void productsInOneMapGoByTiles(long n, long m, long k, int tiled) {
    var arguments = List.of(numbers(n, m), numbers(m, k), numbers(n, k));
    var kernels = kernels("gate", arguments).stream().filter("map tiled"::equals).toList();
    assertEquals(tiled, kernels.size());
    try (var run = new GpuRun(GPU, new SimulatedDevice(n))) {
      var expected = JVM.call("gate", arguments);
      assertEquals(
          Optional.empty(), ValueComparison.difference(expected, run.call("gate", arguments)));
    }
  }

  /** What many rows add to one matrix is a product, not updates that meet. */
  @Test
  void sumsOfOuterProductsGoByTiles() {
    var arguments = List.of(numbers(40, 130), numbers(130, 140), numbers(40, 140));
    var kernels = kernels("norms", arguments);
    assertTrue(kernels.contains("map tiled"), kernels::toString);
    assertTrue(kernels.stream().noneMatch(w -> w.startsWith("map in")), kernels::toString);
    try (var run = new GpuRun(GPU, new SimulatedDevice(7))) {
      var expected = JVM.call("norms", arguments);
      assertEquals(
          Optional.empty(), ValueComparison.difference(expected, run.call("norms", arguments)));
    }
  }

  /** One sum over both dimensions of rows, where a part of them does not stand alone in memory. */
  @ParameterizedTest
  @CsvSource({"batches", "parts"})
  void sumsOverTwoDimensionsGoByTiles(String entry) {
    var arguments = List.of(cube(6, 50, 130), numbers(130, 140), cube(6, 50, 140));
    if (entry.equals("batches")) {
      var kernels = kernels(entry, arguments);
      assertTrue(kernels.contains("map tiled"), kernels::toString);
      assertTrue(kernels.stream().noneMatch(w -> w.startsWith("map in")), kernels::toString);
    }
    assertSame(GPU, entry, arguments);
  }

  /** The second operand is transposed inside the map, for each pair. */
  @ParameterizedTest
  @CsvSource({"9, 64, 20, 64", "3, 130, 40, 140", "300, 20, 10, 24"})
  void productsOfPairsGoByTiles(long s, long n, long m, long k) {
    var arguments = List.of(cube(s, n, m), cube(s, m, k));
    assertEquals(List.of("map tiled"), kernels("pairs", arguments));
    assertSame(GPU, "pairs", arguments);
  }

  /** Blocks share the long sums of a few points, whose parts are then combined. */
  @ParameterizedTest
  @CsvSource({"40, 3000, 40", "70, 2000, 33", "20, 5001, 100"})
  void partsOfLongSumsAreCombined(long n, long m, long k) {
    var arguments = List.of(numbers(n, m), numbers(m, k), numbers(n, k));
    assertEquals(List.of("map tiled", "combine parts"), kernels("product", arguments));
    assertSame(GPU, "product", arguments);
    assertSame(GPU, "reverse", arguments);
  }

  /**
   * The larger rectangles, which only large arrays have, at sizes that aren't multiples of them.
   */
  @ParameterizedTest
  @CsvSource({"150, 40, 200, 512", "129, 33, 140, 512", "70, 17, 70, 1024"})
  void largerRectangles(long n, long m, long k, long enough) {
    var program = Pipelines.gpu(FlattenOptions.gpu(), enough).apply(CORE);
    var arguments = List.of(numbers(n, m), numbers(m, k), numbers(n, k));
    for (var entry : List.of("product", "reverse", "norms")) {
      assertSame(program, entry, arguments);
    }
  }

  private static void assertSame(GpuProgram program, String entry, List<Value> arguments) {
    try (var run = new GpuRun(program, new SimulatedDevice(3))) {
      var expected = JVM.call(entry, arguments);
      assertEquals(
          Optional.empty(), ValueComparison.difference(expected, run.call(entry, arguments)));
    }
  }

  private static Value cube(long s, long n, long m) {
    var random = new Random(n * 31 + m);
    return ArrayValue.ofDoubles(random.ints(s * n * m, -9, 9).asDoubleStream().toArray(), s, n, m);
  }

  @ParameterizedTest
  @CsvSource({"200, 300, 100", "1024, 1024, 1024"})
  void bothAdjointsOfAProductGoByTiles(long n, long m, long k) {
    var arguments = List.of(numbers(n, m), numbers(m, k), numbers(n, k));
    var adjoints =
        kernels("reverse", arguments).stream()
            .filter(w -> w.startsWith("map") || w.startsWith("reduce"));
    assertEquals(List.of("map tiled", "map tiled"), adjoints.toList());
  }
}
