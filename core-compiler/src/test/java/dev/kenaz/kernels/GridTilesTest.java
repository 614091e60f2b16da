package dev.kenaz.kernels;

import static dev.kenaz.kernels.ProductTilesTest.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tiles whose threads have grids of points: runs of neighbours, of numbers of all sizes. */
final class GridTilesTest {
  private static final String TEXT =
      """
      def lin [n][m][k] 't 'u (sum: [m]u -> u) (f: t -> t -> u) (a: [n][m]t) (b: [k][m]t) : [n][k]u =
        map (\\r -> map (\\c -> sum (map2 f r c)) b) a
      entry distances [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        lin f64.sum (\\x y -> f64.abs (x - y)) a b
      entry largest [n][m][k] (a: [n][m]f64) (b: [k][m]f64) = lin f64.maximum (*) a b
      entry singles [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        lin f32.sum (*) (map (map f32.f64) a) (map (map f32.f64) b)
      entry bytes [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        lin i32.sum (\\x y -> i32.i8 x * i32.i8 y) (map (map i8.f64) a) (map (map i8.f64) b)
      entry mixed [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        let a = map (map i16.f64) a let b = map (map f32.f64) b
        in map (\\r -> map (\\c -> f32.maximum (map2 (\\x y -> f32.i16 x * y) r c)) b) a
      -- several sums that share the row's elements
      entry gates [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        let a = map (map f32.f64) a let b = map (map f32.f64) b
        let c = map (map (+ 1)) b let d = map (map (* 2)) b
        in map (\\r -> map3 (\\p q s -> let f x = f32.sum (map2 (*) r x) in f p * f q - f s) b c d) a
      -- a sum of several products
      entry terms [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        let a = map (map f32.f64) a let b = map (map f32.f64) b
        let c = map (map (+ 1)) a let d = map (map (* 2)) b
        in map2 (\\r s -> map2 (\\p q -> f32.sum (map4 (\\x y z w -> x * y + z * w + x * w) r p s q)) b d)
             a c
      entry squared [n][m][k] (a: [n][m]f64) (b: [k][m]f64) =
        lin f32.sum (\\x y -> let d = x * y + y in d * d + d + 1) (map (map f32.f64) a)
          (map (map f32.f64) b)
      """;

  private static final CoreProgram CORE = Optimised.text(TEXT);
  private static final List<String> ENTRIES =
      List.of("distances", "largest", "singles", "bytes", "mixed", "gates", "terms", "squared");
  private static final JvmProgram JVM =
      Pipelines.jvm(JvmOptions.defaults().withWorkers(1)).apply(CORE);

  /** Each size of rectangles, whole ones and such with edges, and sums in parts. */
  @ParameterizedTest
  @CsvSource({
    "128, 16, 128, 512",
    "131, 19, 133, 512",
    "64, 48, 64, 512",
    "67, 33, 70, 512",
    "70, 21, 37, 1024",
    "33, 17, 41, 100000",
    "21, 23, 19, 100000",
    "18, 400, 35, 100000"
  })
  void ofAllSizes(long n, long m, long k, long enough) {
    var program = Pipelines.gpu(FlattenOptions.gpu(), enough).apply(CORE);
    List<Value> all = List.of(numbers(n, m), numbers(k, m));
    for (var entry : ENTRIES) {
      try (var run = new GpuRun(program, new SimulatedDevice(5))) {
        var difference = ValueComparison.difference(JVM.call(entry, all), run.call(entry, all));
        assertEquals(Optional.empty(), difference, entry);
      }
    }
  }

  private static GpuProgram alone(String entry) {
    var start = TEXT.indexOf("entry " + entry);
    var end = TEXT.indexOf("entry ", start + 1);
    var lines = TEXT.substring(start, end < 0 ? TEXT.length() : end);
    return Pipelines.gpu().apply(Optimised.text(TEXT.substring(0, TEXT.indexOf("entry ")) + lines));
  }

  private static List<Kernel> tiled(String entry) {
    return ProductTilesTest.tiled(alone(entry));
  }

  /** The largest rectangle has 128 rows and columns, in two parts of 16 elements of a row. */
  @Test
  void theLargestRectangleHasEightByEightPoints() {
    var largest = tiled("singles").getFirst();
    long shared = largest.shared().stream().mapToLong(s -> s.count() * s.prim().byteSize()).sum();
    assertEquals(2 * 2 * 16 * (128 + 4) * 4, shared);
    assertEquals(1, barriers(largest));
  }

  private static int barriers(Kernel kernel) {
    var found = new AtomicInteger();
    CodeWalk.code(
        kernel.body(),
        c -> found.addAndGet(c instanceof Code.Gpu(GpuCode.Barrier _) ? 1 : 0),
        _ -> {});
    return found.get();
  }

  /** Plain products have three sizes of rectangles, and what shares operands one more. */
  @Test
  void whatSharesOperandsHasRectanglesOfHalfTheWidth() {
    assertEquals(0, tiled("singles").size() % 3);
    assertEquals(0, tiled("terms").size() % 4);
    assertTrue(tiled("gates").size() >= 3);
  }

  /** A sum's products are added to it, not to each other. */
  @Test
  void termsAreAddedOneByOne() {
    var tiled =
        Stream.of(CudaText.PASS.apply(alone("terms")).text().split("\n// "))
            .filter(k -> k.startsWith(Kernel.TILED))
            .toList();
    assertTrue(tiled.size() >= 4, "" + tiled.size());
    for (var kernel : tiled) {
      assertTrue(kernel.contains("= sum + t"), kernel);
      assertFalse(Pattern.compile("= t\\w* \\+ t").matcher(kernel).find(), kernel);
    }
  }
}
