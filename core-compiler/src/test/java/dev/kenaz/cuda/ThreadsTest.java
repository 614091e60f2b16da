package dev.kenaz.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.kernels.CountingDevice;
import dev.kenaz.kernels.GpuRun;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How many threads run a kernel, how often it runs, and what a thread does first. */
final class ThreadsTest {
  private static CountingDevice run(String program, Value... arguments) {
    var device = new CountingDevice();
    new GpuRun(Pipelines.gpu().apply(Optimised.text(program)), device)
        .call("main", List.of(arguments));
    return device;
  }

  private static List<Integer> sizes(CountingDevice device) {
    return List.copyOf(device.blockThreads().values());
  }

  /** A few thousand points with long loops are spread over all processors. */
  @Test
  void blocksAreSmallWherePointsTakeLong() {
    var xs = ArrayValue.ofDoubles(new double[100], 100);
    var loops =
        """
        entry main [n] (k: i64) (xs: [n]f64) = map (\\x -> loop x for _i < k do f64.sin x) xs
        """;
    assertEquals(List.of(64), sizes(run(loops, ScalarValue.i64(1000), xs)));
    assertEquals(List.of(256), sizes(run("entry main [n] (xs: [n]f64) = map f64.sin xs", xs)));
  }

  /** Several passes over the points pay only if these update each part of the cache often. */
  @Test
  void fewUpdatesOfALargeArrayAreDoneInOnePass() {
    var program =
        """
        entry main [n][m] (is: [n]i64) (xs: [n]f32) (ys: *[m]f32) = reduce_by_index ys (+) 0 is xs
        """;
    int m = 10_000_000;
    for (int n : new int[] {100_000, 2_000_000}) {
      var is = ArrayValue.ofLongs(new long[n], n);
      var xs = ArrayValue.ofFloats(new float[n], n);
      var device = run(program, is, xs, ArrayValue.ofFloats(new float[m], m));
      var passes =
          device.asked().launches().entrySet().stream()
              .filter(e -> e.getKey().contains("histogram"))
              .mapToInt(e -> e.getValue())
              .sum();
      assertEquals(n < m / 8 ? 1 : 2, passes);
    }
  }

  /** Loads of all points of a thread are under way together. */
  @Test
  void loadsOfSeveralPointsComeBeforeBranches() {
    var program =
        """
        entry main [n][m] (ys: [n]f32) (xs: [n][m]f32) =
          map2 (\\y x -> map (\\x -> if x > 0 then y / x else y * f32.exp x) x) ys xs
        """;
    var text = CudaText.PASS.apply(Pipelines.gpu().apply(Optimised.text(program))).text();
    var fast = text.substring(text.indexOf("(1 < items)"));
    fast = fast.substring(fast.indexOf('\n'), fast.indexOf("for (i64 k"));
    var loads = fast.substring(0, fast.indexOf("if ("));
    assertEquals(4, loads.split("= xs\\[", -1).length - 1, text);
  }
}
