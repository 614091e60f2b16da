package dev.kenaz.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reductions and scans of segments, in rows and in columns, of sizes around those of warps, blocks
 * and tiles: which kernels run, and that they are right whatever the order of blocks and warps.
 */
final class SegmentsTest {
  private static final String PROGRAM =
      """
      def affine (a, b) (c, d) : (i32, i32) = (a * c, b * c + d)
      def pair (x: i32) = (x % 3, x)
      entry sums [n][m] (xs: [n][m]i32) = map (reduce (+) 0) xs
      entry ordered [n][m] (xs: [n][m]i32) =
        unzip (map (\\r -> reduce affine (1, 0) (map pair r)) xs)
      entry scans [n][m] (xs: [n][m]i32) = map (scan (+) 0) xs
      entry orderedscans [n][m] (xs: [n][m]i32) =
        unzip (map unzip (map (\\r -> scan affine (1, 0) (map pair r)) xs))
      entry columns [n][m] (xs: [n][m]i32) = reduce (map2 (+)) (replicate m 0) xs
      entry orderedcolumns [n][m] (xs: [n][m]i32) =
        unzip (map (\\c -> reduce affine (1, 0) (map pair c)) (transpose xs))
      entry kept [n][m] (xs: [n][m]i32) =
        vjp2 (\\(ys, b) -> map (\\r -> map2 (\\x w -> f64.tanh (x + w)) r b) ys)
             (map (map f64.i32) xs, replicate m 0.5) (replicate n (replicate m 1))
      entry columnscans [n][m] (xs: [n][m]i32) = scan (map2 (+)) (replicate m 0) xs
      entry batches [n][m] (xs: [n][m]i32) =
        map (\\x -> reduce (map2 i32.max) (replicate m 0) [map (+ 1) x, map (* 2) x, map (3 -) x]) xs
      """;

  private static final CoreProgram CORE = Optimised.text(PROGRAM);

  private static final GpuProgram GPU = Pipelines.gpu().apply(CORE);

  private static final JvmProgram JVM =
      Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(CORE);

  private static Value numbers(long n, long m) {
    var random = new Random(n * 31 + m);
    return ArrayValue.ofInts(random.ints(n * m, -9, 9).toArray(), n, m);
  }

  private static void check(String entry, long n, long m, long seed) {
    var arguments = List.of(numbers(n, m));
    var expected = JVM.call(entry, arguments);
    try (var run = new GpuRun(GPU, new SimulatedDevice(seed))) {
      var difference = ValueComparison.difference(expected, run.call(entry, arguments));
      assertEquals(Optional.empty(), difference, entry + " of " + n + " x " + m);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sums",
        "ordered",
        "scans",
        "orderedscans",
        "columns",
        "orderedcolumns",
        "columnscans",
        "batches"
      })
  void ofAllSizes(String entry) {
    long seed = 1;
    for (long m : new long[] {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1025, 2305}) {
      for (long n : new long[] {1, 3, m < 300 ? 35 : 2}) {
        check(entry, n, m, seed++ % 3);
      }
    }
    check(entry, 0, 5, 2);
    check(entry, 4100, 3, 1);
    check(entry, 3, 4100, 2);
  }

  /** What kernels are for, of those that run for so many rows of so many columns. */
  private static Set<String> kernels(String entry, long n, long m) {
    var device = new CountingDevice();
    new GpuRun(GPU, device).call(entry, List.of(numbers(n, m)));
    var whats = new TreeSet<String>();
    for (var name : device.asked().launches().keySet()) {
      GPU.kernels().stream().filter(k -> k.name().equals(name)).forEach(k -> whats.add(k.what()));
    }
    return whats;
  }

  @Test
  void shortSegmentsShareABlock() {
    assertEquals(Set.of("reduce short segments"), kernels("sums", 1000, 8));
    assertEquals(Set.of("reduce short segments"), kernels("ordered", 100, 900));
  }

  @Test
  void segmentsOfMediumSizeHaveABlockEach() {
    assertEquals(Set.of("reduce"), kernels("sums", 600, 1500));
    assertEquals(Set.of("reduce"), kernels("sums", 4, 1500));
  }

  @Test
  void longSegmentsHaveSeveralBlocksAndAreReducedInTwoStages() {
    assertEquals(Set.of("reduce", "reduce partial results"), kernels("sums", 4, 100_000));
  }

  /** Neighbouring columns together, by however many blocks there is work for. */
  @Test
  void columnsAreReadInRows() {
    assertEquals(Set.of("reduce columns"), kernels("columns", 40, 100));
    assertEquals(Set.of("reduce columns", "reduce partial results"), kernels("columns", 9000, 16));
    assertEquals(
        Set.of("reduce columns", "reduce partial results"), kernels("orderedcolumns", 9000, 16));
  }

  /** What threads would meet in, were it not reduced. */
  @Test
  void whatIsKeptAndAddedUpIsReduced() {
    assertEquals(Set.of("map", "reduce columns"), kernels("kept", 40, 100));
    check("kept", 40, 100, 3);
  }

  /** One pass whatever the segments' size; columns are laid out as rows before and after. */
  @Test
  void segmentsAreScannedInOnePass() {
    for (long m : new long[] {8, 1500, 100_000}) {
      assertEquals(Set.of("clear what tiles publish", "scan of segments"), kernels("scans", 4, m));
    }
    assertEquals(
        Set.of("clear what tiles publish", "scan of segments", "transpose"),
        kernels("columnscans", 1000, 30));
  }

  /** Whatever the sizes are, some version runs with more threads than there are segments. */
  @Test
  void versionsNeverLoseAllParallelism() {
    for (var entry : List.of("sums", "ordered", "scans", "columns", "columnscans")) {
      for (long[] shape : new long[][] {{1, 50_000}, {50_000, 1}, {220, 220}}) {
        var device = new CountingDevice();
        new GpuRun(GPU, device).call(entry, List.of(numbers(shape[0], shape[1])));
        assertTrue(
            device.asked().launches().keySet().stream().noneMatch(k -> k.contains("chunks")));
        assertTrue(device.mostThreads() >= 1024, entry + " " + shape[0] + " " + shape[1]);
      }
    }
  }
}
