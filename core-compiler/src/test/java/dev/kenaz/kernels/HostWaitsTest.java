package dev.kenaz.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.UserError;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.simulate.SimulatedDevice;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The host waits for the device only where it decides by what the device has computed. */
final class HostWaitsTest {
  private static final String SUMS =
      """
      entry main [n] (xs: [n]f64) (k: i64) =
        let step (ys, total) =
          let s = 1 + f64.sum ys
          in (map (/ s) ys, total + s * s)
        in (iterate (i32.i64 k) step (xs, 0)).1
      """;

  private static CoreProgram core(String text) {
    return Optimised.text(text);
  }

  private static CountingDevice.Asked asked(String text, Value... arguments) {
    var core = core(text);
    var gpu = Pipelines.gpu().apply(core);
    var device = new CountingDevice();
    new GpuRun(gpu, device).call("main", List.of(arguments));
    // and it computes what it should
    try (var program = Compiler.compile("p.fut", text, CompileOptions.of(Backend.INTERPRET));
        var run = new GpuRun(gpu, new SimulatedDevice())) {
      assertEquals(
          program.entry("main").call(List.of(arguments)), run.call("main", List.of(arguments)));
    }
    return device.asked();
  }

  private static Value numbers(int n) {
    var xs = new double[n];
    for (int i = 0; i < n; i++) {
      xs[i] = i % 5;
    }
    return ArrayValue.ofDoubles(xs, n);
  }

  @Test
  void aLoopOverReductionsNeedsNoWait() {
    var few = asked(SUMS, numbers(2000), ScalarValue.i64(3));
    var many = asked(SUMS, numbers(2000), ScalarValue.i64(30));
    assertEquals(few.waits(), many.waits());
    assertTrue(many.waits() <= 2, many.waits() + " waits");
    assertTrue(many.total() > 60);
  }

  /** Whichever version of a product runs, its results are built in the row that they will be. */
  @Test
  void rowsOfAnArrayAreBuiltThere() {
    var product =
        """
        entry main [n] (xs: [n]f64) =
          let a = tabulate_2d 40 30 (\\i j -> xs[(i + j) % n])
          in loop out = replicate n (replicate 40 (replicate 40 0)) for t < n do
               out with [t] = map (\\r -> map (\\c -> xs[t] + f64.sum (map2 (*) r c)) a) a
        """;
    assertEquals(0, asked(product, numbers(3)).copies());
  }

  @Test
  void aLoopOfSmallKernelsIsOneKernel() {
    assertEquals(
        asked(SUMS, numbers(40), ScalarValue.i64(3)).total(),
        asked(SUMS, numbers(40), ScalarValue.i64(30)).total());
    var larger = asked(SUMS, numbers(300), ScalarValue.i64(30)).total();
    assertTrue(larger <= 4, larger + " launches");
  }

  @Test
  void loopsWithinAndBranchesTooAndCarriedArrays() {
    var asked =
        asked(
            """
            entry main [n] (xs: [n]f64) (m: i64) =
              let (a, b, c) =
                loop (a, b, c) = (xs, map (+ 1) xs, copy xs) for i < m do
                  let (b, c) =
                    loop (b, c) = (b, c) for j < i + 1 do
                      (map2 (\\x y -> (x + y) / 2) b a, c with [j % n] = f64.maximum b)
                  in if i % 3 == 0 then (b, a, c) else (map (* 0.5) a, b, c)
              in (a, b, c)
            """,
            numbers(20), ScalarValue.i64(12));
    assertTrue(asked.total() <= 8, asked.launches().toString());
  }

  @Test
  void theHostIsToldOnceWhereArraysAre() {
    var asked =
        asked(
            """
            entry main [n] (xs: [n]f64) (m: i64) =
              loop (a, b) = (xs, map (+ 1) xs) for _i < m do
                if a[0] > b[1] then (b, map (/ 2) a) else (map2 (+) a b, b)
            """,
            numbers(20),
            ScalarValue.i64(12));
    assertTrue(asked.waits() <= 3, asked.waits() + " waits");
    assertTrue(asked.total() <= 8, asked.launches().toString());
  }

  @Test
  void aFailureEndsTheLoop() {
    var text =
        """
        entry main [n] (xs: [n]f64) (is: [n]i64) =
          let (ys, _) =
            loop (ys, k) = (copy xs, 0f64) while k < 3 do
              let zs = map (\\i -> ys[i]) is
              in (zs, k + zs[0])
          in ys
        """;
    var core = core(text);
    var gpu = Pipelines.gpu().apply(core);
    try (var run = new GpuRun(gpu, new SimulatedDevice())) {
      var arguments = List.<Value>of(numbers(4), ArrayValue.ofLongs(new long[] {1, 9, 2, 0}));
      var e = assertThrows(UserError.class, () -> run.call("main", arguments));
      assertTrue(e.getMessage().contains("out of bounds"), e.getMessage());
    }
  }

  @Test
  void branchesOverElementsAreForAThread() {
    var asked =
        asked(
            """
            entry main (xs: []f64) =
              let norm = f64.sqrt (f64.sum xs)
              let three =
                if norm < 0.1 then [1, 0, 0] else [xs[0] / norm, xs[1] / norm, xs[2] + norm]
              in map (\\x -> x + three[0] * three[1] * three[2]) xs
            """,
            numbers(60));
    assertTrue(asked.waits() <= 2, asked.waits() + " waits");
    assertTrue(asked.total() <= 4, asked.launches().toString());
  }

  @Test
  void integersStayToo() {
    var asked =
        asked(
            """
            entry main (xs: []f64) (is: []i64) =
              let best = i64.maximum is
              let k = i64.sum is % 7
              in map (\\x -> x + f64.i64 (best * k)) xs
            """,
            numbers(60), ArrayValue.ofLongs(new long[] {3, 1, 2}));
    assertTrue(asked.waits() <= 1, asked.waits() + " waits");
  }

  @Test
  void copiesToWhereTheDeviceKnowsNeedNoWait() {
    var asked =
        asked(
            """
            entry main [n][m] (xss: *[n][m]f64) (is: []i64) (row: [m]f64) =
              loop xss for i in is do xss with [i] = map (+ f64.i64 i) (copy row)
            """,
            ArrayValue.ofDoubles(new double[60], 6, 10),
            ArrayValue.ofLongs(new long[] {3, 1, 5, 3}),
            numbers(10));
    assertTrue(asked.waits() <= 1, asked.waits() + " waits");
  }

  @Test
  void sizesAndWhileLoopsAreDecidedByTheHost() {
    var asked =
        asked(
            """
            entry main (xs: []f64) =
              let (ys, _) = loop (ys, i) = (xs, 0i64) while f64.sum ys > 1 && i < 9
                            do (map (/ 2) ys, i + 1)
              in map (\\i -> ys[0] + f64.i64 i) (iota (i64.f64 (f64.sum ys * 10)))
            """,
            numbers(20));
    assertTrue(asked.waits() >= 2);
  }
}
