package dev.kenaz.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.cuda.CudaText;
import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.jvm.JvmOptions;
import dev.kenaz.jvm.JvmProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.GpuCode;
import dev.kenaz.loopir.GpuProgram;
import dev.kenaz.loopir.Kernel;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums of products in f64 go by instructions for matrices that a warp has together. */
final class ProductTilesTest {
  private static final String PRODUCTS =
      """
      def mm [n][m][k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
        map (\\r -> map (\\c -> f64.sum (map2 (*) r c)) (transpose b)) a
      entry plain [n][m][k] (a: [n][m]f64) (b: [m][k]f64) = mm a b
      -- rows and columns go along the other dimension of the arrays
      entry transposed [n][m][k] (a: [m][n]f64) (b: [k][m]f64) = mm (transpose a) (transpose b)
      entry right [n][m][k] (a: [n][m]f64) (b: [k][m]f64) = mm a (transpose b)
      entry squares [n][m] (a: [n][m]f64) = mm a (transpose a)
      -- what is done with a row alone, or with a column alone, comes before
      entry sides [n][m][k] (a: [n][m]f64) (b: [m][k]f64) =
        let s = map f64.sum a let t = map (\\c -> f64.abs c[0]) (transpose b)
        in map2 (\\r u -> map2 (\\c v -> f64.sum (map2 (\\x y -> (x * 2 - u) * (y + v)) r c) + u * v)
                             (transpose b) t)
             a s
      entry batches [s][n][m][k] (a: [s][n][m]f64) (b: [s][m][k]f64) = map2 mm a b
      """;

  private static final String OTHERS =
      """
      entry distances [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        map (\\r -> map (\\c -> f64.sum (map2 (\\x y -> f64.abs (x - y)) r c)) b) a
      entry largest [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        map (\\r -> map (\\c -> f64.maximum (map2 (*) r c)) b) a
      entry single [n][m][k] (a: [n][m]f32) (b: [k][m]f32) =
        map (\\r -> map (\\c -> f32.sum (map2 (*) r c)) b) a
      """;

  private static final CoreProgram CORE = Optimised.text(PRODUCTS);
  private static final GpuProgram GPU = Pipelines.gpu().apply(CORE);
  private static final JvmProgram JVM =
      Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(CORE);

  static Value numbers(long... shape) {
    var random = new Random(ArrayValue.count(shape));
    int n = (int) ArrayValue.count(shape);
    return ArrayValue.ofDoubles(random.ints(n, -9, 9).asDoubleStream().toArray(), shape);
  }

  private static boolean multiplies(Kernel k) {
    var found = new boolean[1];
    CodeWalk.code(
        k.body(), c -> found[0] |= c instanceof Code.Gpu(GpuCode.MultiplyTile _), _ -> {});
    return found[0];
  }

  static List<Kernel> tiled(GpuProgram program) {
    return program.kernels().stream().filter(k -> k.what().equals(Kernel.TILED)).toList();
  }

  @Test
  void sumsOfProductsUseTheInstruction() {
    var kernels = tiled(GPU);
    assertTrue(kernels.size() >= 3 * 6, "" + kernels.size());
    assertTrue(kernels.stream().allMatch(ProductTilesTest::multiplies));
    assertTrue(CudaText.PASS.apply(GPU).text().contains("multiply_tile(sum"));
    assertTrue(CudaText.prelude().contains("mma.sync.aligned.m8n8k4.row.col.f64"));
  }

  @Test
  void otherReductionsDoNot() {
    var kernels = tiled(Pipelines.gpu().apply(Optimised.text(OTHERS)));
    assertTrue(kernels.size() >= 3 * 3, "" + kernels.size());
    assertTrue(kernels.stream().noneMatch(ProductTilesTest::multiplies));
  }

  private static void same(GpuProgram program, String entry, Value... arguments) {
    var all = List.of(arguments);
    try (var run = new GpuRun(program, new SimulatedDevice(5))) {
      var difference = ValueComparison.difference(JVM.call(entry, all), run.call(entry, all));
      assertEquals(Optional.empty(), difference, entry);
    }
  }

  /**
   * Each size of rectangles, with edges that are no multiples of a warp's, or of a lane's, part.
   */
  @ParameterizedTest
  @CsvSource({
    "64, 16, 128, 512",
    "67, 19, 133, 512",
    "130, 9, 71, 512",
    "65, 33, 70, 1024",
    "33, 17, 41, 100000",
    "21, 23, 19, 100000",
    "1, 40, 90, 100000"
  })
  void ofAllSizes(long n, long m, long k, long enough) {
    var program = Pipelines.gpu(FlattenOptions.gpu(), enough).apply(CORE);
    same(program, "plain", numbers(n, m), numbers(m, k));
    same(program, "transposed", numbers(m, n), numbers(k, m));
    same(program, "right", numbers(n, m), numbers(k, m));
    same(program, "sides", numbers(n, m), numbers(m, k));
    same(program, "squares", numbers(n, m));
  }

  @ParameterizedTest
  @CsvSource({"3, 40, 20, 50", "2, 66, 9, 130"})
  void ofSeveralMatrices(long s, long n, long m, long k) {
    var program = Pipelines.gpu(FlattenOptions.gpu(), 512).apply(CORE);
    same(program, "batches", numbers(s, n, m), numbers(s, m, k));
  }

  /** Several blocks have parts of the sums, of which the last one ends within a step. */
  @ParameterizedTest
  @ValueSource(longs = {1999, 2051})
  void inParts(long m) {
    same(GPU, "plain", numbers(40, m), numbers(m, 37));
    same(GPU, "transposed", numbers(m, 33), numbers(40, m));
    same(GPU, "batches", numbers(2, 34, m), numbers(2, m, 33));
  }

  /** What is fetched beyond the edges of one operand meets infinities of the other one. */
  @Test
  void infinitiesStayWhereTheyBelong() {
    var b = new double[33 * 41];
    b[7 * 41 + 40] = Double.POSITIVE_INFINITY;
    b[32 * 41 + 3] = Double.NaN;
    same(GPU, "plain", numbers(35, 33), ArrayValue.ofDoubles(b, 33, 41));
  }
}
