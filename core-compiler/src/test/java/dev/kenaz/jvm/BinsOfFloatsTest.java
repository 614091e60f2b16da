package dev.kenaz.jvm;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The bins that are made of floats are found in vectors, block by block, and the points update them
 * one by one in their order. Many floats have no bin, and some no integer.
 */
final class BinsOfFloatsTest {
  private static final int[] SIZES = {0, 1, 5, 31, 32, 33, 127, 128, 129, 160, 300, 5000};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hist (+) 0 m (map (\\x -> i64.f64 (x * 7)) xs) xs",
        "hist (+) 0 1 (map i64.f64 xs) xs",
        "hist (+) 0 m (map (\\x -> i64.f32 (f32.f64 x)) xs) (map (\\x -> f32.f64 x / 3) xs)"
            + " |> map f64.f32",
        "hist (+) 0 m (map (\\x -> i64.i32 (i32.f64 x)) xs) (iota n) |> map f64.i64",
        "hist (+) 0 m (map (\\x -> i64.i16 (i16.f64 x)) xs) (map (\\_ -> 3i8) xs) |> map f64.i8",
        "hist f64.max (-f64.inf) m (map (\\x -> i64.f64 (x / 2)) xs) xs",
        "hist (\\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j))"
            + " (-f64.inf, -1) m (map i64.f64 xs)"
            + " (zip (map (\\i -> f64.i64 (i % 11)) (iota n)) (iota n)) |> map (f64.i64 <-< (.1))",
        "hist (\\(a, b) (c, d) -> (a + c, b + d)) (0, 0) m (map i64.f64 xs)"
            + " (zip xs (map i64.f64 xs)) |> map (\\(a, b) -> a + f64.i64 b)",
        // two histograms, the second with a branch without accesses in its bins
        "map2 (+) (hist (+) 0 m (map i64.f64 xs) xs)"
            + " (hist (*) 1 m (map (\\x -> if x > 4 then i64.f64 (x * x) else -1) xs) xs)",
        "reduce_by_index (tabulate m f64.i64) (+) 0 (map i64.f64 xs) xs",
        // two bounds, and a bin that is looked at by something else
        "let is = map i64.f64 xs let a = hist (+) 0 m is xs let b = hist (+) 0 (m + 3) is xs"
            + " in map (\\i -> a[i] + b[i + 3]) (iota m)",
        "let is = map i64.f64 xs in hist (+) 0 m is (map f64.i64 is)",
        "scatter (replicate m 0) (map i64.f64 (map2 (\\i _ -> f64.i64 i * 0.5) (iota n) xs))"
            + " (map2 (\\i _ -> f64.i64 (i / 2)) (iota n) xs)",
      })
  void sameAsTheInterpreter(String body) {
    var text = "entry main [n] (m: i64) (xs: [n]f64): []f64 = " + body;
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      calls.add(
          List.of(ScalarValue.i64(n % 7 == 0 ? 1 : 20), ArrayValue.ofDoubles(Prim.F64, floats(n))));
    }
    Compare.each(Optimised.text(text), calls);
  }

  private static double[] floats(int n) {
    double wide = 1L << 32;
    var few =
        new double[] {
          Double.NaN,
          1e300,
          -1e300,
          -0.0,
          Double.POSITIVE_INFINITY,
          -0.5,
          1e10,
          wide + 5,
          wide / 2,
          -wide + 3
        };
    var xs = new double[n];
    for (int i = 0; i < n; i++) {
      xs[i] = i % 9 == 4 ? few[i / 9 % few.length] : i * 13 % 97 / 4.0 - 2;
    }
    return xs;
  }
}
