package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.loopir.LoopPrinter;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Threads have copies of what they add to, except where points are known to update different
 * elements.
 */
@Execution(CONCURRENT)
final class SeparateUpdatesTest {
  /** In a program, AT is the first index with which a point i reads for its k-th direction. */
  private static final String PROGRAM =
      "def step (x: f64) = x * x def offsets: [3]i64 = [0, 1, -2] "
          + "entry main [n] (a: [n][3]f64) (w: [3]f64) (is: [n]i64) (os: [3]i64) (ns: [3]i32)"
          + " : [n][3]f64 = vjp (\\a -> map (\\i -> loop s = 1 for k < 3 do READ) (iota n))"
          + " a (map (\\i -> w[i % 3]) (iota n))";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "s * w[k] + step a[i, k]",
        "s * w[k] + step a[(i + offsets[k] + n) % n, k]",
        "s * w[k] + step a[(n - offsets[k] + i) % n, k]",
        "s * w[k] + step a[(offsets[k] * 3 - i + n) % n, k]",
        "s * w[k] + step a[(i + i64.i32 ns[k] + n) % n, k]",
        "s * w[k] + step (if w[k] > 0 then a[(i + offsets[k] + n) % n, k] else 1)",
        // one of two reads is of the point's own, whose derivative needs no update
        "s * step a[i, k] + step a[(i + 2) % n, k]",
        // two updates, each of the point's own row
        "s * step a[i, k] + step a[i, (k + 1) % 3]",
      })
  void separate(String read) {
    check(read, true);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // nothing tells which k an update was for
        "s * w[k] + step a[(i + offsets[k] + n) % n, 0]",
        "s * w[k] + step a[(i + offsets[k] + n) % n, (k * 2) % 3]",
        // the period is another
        "s * w[k] + step a[(i + offsets[k] + n) % i64.max 1 (n / 2), k]",
        // numbers that may overflow, and so wrap around at another place
        "s * w[k] + step a[(i + os[k]) % n, k]",
        // two updates
        "s * step a[(i + 1) % n, k] + step a[(i + 2) % n, k]",
        // not of the point
        "s * w[k] + step a[is[i] % n, k]",
        "s * w[k] + step a[(2 * i) % n, k]",
        "s * w[k] + step a[(i / 2), k]",
        "s * w[k] + step a[(i + is[i] % n) % n, k]",
        "s * w[k] + step a[(i + i64.f64 (s / 1000)) % n, k]",
      })
  void together(String read) {
    check(read, false);
  }

  private static void check(String read, boolean separate) {
    var program = Optimised.text(PROGRAM.replace("READ", read));
    boolean copies =
        Pipelines.loops(2).apply(program).functions().stream()
            .anyMatch(f -> LoopPrinter.print(f.body()).contains("private."));
    assertEquals(separate, !copies, read);
    var calls = new ArrayList<List<Value>>();
    for (int n : new int[] {0, 1, 2, 3, 5, 64, 1000}) {
      calls.add(
          List.of(
              ArrayValue.ofDoubles(Prim.F64, doubles(3 * n)).reshape(n, 3),
              ArrayValue.ofDoubles(Prim.F64, doubles(3)),
              ArrayValue.ofLongs(
                  Prim.I64, IntStream.range(0, n).mapToLong(i -> i * i % 7).toArray()),
              ArrayValue.ofLongs(new long[] {1, Long.MAX_VALUE - 1, 4}),
              ArrayValue.ofInts(new int[] {1, 5, 0})));
    }
    Compare.each(program, calls);
  }

  private static double[] doubles(int n) {
    return IntStream.range(0, n).mapToDouble(i -> (i * 7 % 5 - 1) / 4.0).toArray();
  }
}
