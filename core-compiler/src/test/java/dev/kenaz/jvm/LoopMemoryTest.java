package dev.kenaz.jvm;

import static dev.kenaz.error.ErrorCode.K5006;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.error.CompilerBug;
import dev.kenaz.error.UserError;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.NativeLimit;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Loops that may keep so much memory and no more. */
@Isolated
final class LoopMemoryTest {
  private static final String GRADIENT =
      """
      entry main [n] (steps: i64) (xs: [n]f64) : [n]f64 =
        vjp (\\ys -> f64.sum (loop zs = ys for _i < steps do
                               map2 (\\a b -> a - 0.1 * a * b) zs (rotate 1 zs))) xs 1
      """;

  private static final int ELEMENTS = 1 << 15;
  private static final long STEPS = 200;
  private static final long MEGABYTE = 1 << 20;

  private record Measured(List<Value> results, long peak) {}

  @Test
  void keepsWithinBudget() throws InterruptedException {
    var few = gradient(4 * MEGABYTE);
    var all = gradient(CompileOptions.UNLIMITED);
    var difference = ValueComparison.difference(all.results(), few.results());
    assertEquals(Optional.empty(), difference);
    // 256 KB a step
    assertTrue(all.peak() > 50 * MEGABYTE, "all steps kept: " + all.peak());
    assertTrue(few.peak() < 16 * MEGABYTE, "a few steps kept: " + few.peak());
  }

  /** A loop that doubles an array ends when arrays have taken what they may, and frees them. */
  @Test
  void whatGrowsForeverEndsWithAnError() {
    var doubling =
        """
        entry main (n: i64) : i64 =
          let (_, xs) = loop (go, xs) = (true, replicate n 1i64) while go do
            let ys = xs ++ map (+ 1) xs in (ys[0] > 0, ys)
          in length xs
        """;
    long live = NativeMemory.live();
    long before = NativeLimit.atMost(NativeLimit.used() + 64 * MEGABYTE);
    try (var program = Compiler.compile("doubling.fut", doubling, CompileOptions.of(Backend.JVM))) {
      var entry = program.entry("main");
      for (int k = 0; k < 3; k++) {
        var e =
            assertThrows(UserError.class, () -> entry.call(List.<Value>of(ScalarValue.i64(1000))));
        assertEquals(K5006, e.diagnostics().getFirst().code());
        assertTrue(NativeMemory.live() <= live, "a failed program leaks");
      }
    } finally {
      NativeLimit.atMost(before);
    }
  }

  /** A result's memory can be given back at once; it is not there twice, and nobody else's is. */
  @Test
  void aResultGivesItsMemoryBack() {
    var text = "entry main (n: i64) : ([n]i64, [n]i64) = let xs = map (* 2) (iota n) in (xs, xs)";
    try (var program = Compiler.compile("twice.fut", text, CompileOptions.of(Backend.JVM))) {
      var results = program.entry("main").call(List.<Value>of(ScalarValue.i64(1 << 16)));
      var first = (ArrayValue) results.getFirst();
      var second = (ArrayValue) results.getLast();
      long live = NativeMemory.live();
      first.release();
      first.release();
      long bytes = Long.BYTES << 16;
      assertTrue(NativeMemory.live() <= live - bytes, "the memory of a result is back");
      assertTrue(NativeMemory.live() > live - 2 * bytes, "and that of the other one is not");
      assertThrows(CompilerBug.class, first::data);
      assertEquals(2 * 65535L, second.getLong(65535));
    }
    var own = ArrayValue.ofLongs(new long[] {1, 2}, 2);
    own.release();
    assertEquals(2, own.getLong(1));
  }

  /** The gradient, and by how much more memory was in use at a time. */
  private static Measured gradient(long budget) throws InterruptedException {
    var xs = IntStream.range(0, ELEMENTS).mapToDouble(i -> Math.sin(i)).toArray();
    var options = CompileOptions.of(Backend.JVM).withLoopMemory(budget);
    try (var program = Compiler.compile("gradient.fut", GRADIENT, options)) {

      long before = NativeMemory.live();
      var peak = new AtomicLong();
      var done = new AtomicBoolean();
      var watch =
          new Thread(
              () -> {
                while (!done.get()) {
                  peak.accumulateAndGet(NativeMemory.live() - before, Math::max);
                  LockSupport.parkNanos(1_000_000);
                }
              });
      watch.start();
      var arguments = List.<Value>of(ScalarValue.i64(STEPS), ArrayValue.ofDoubles(xs, ELEMENTS));
      var results = program.entry("main").call(arguments);
      done.set(true);
      watch.join();
      return new Measured(results, peak.get());
    }
  }
}
