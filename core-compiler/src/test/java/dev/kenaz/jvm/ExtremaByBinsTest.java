package dev.kenaz.jvm;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is chosen for each bin is stored only where it changes; to change is to have other bits, as
 * those of the other zero. The results are compared as integers of the same bits.
 */
final class ExtremaByBinsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map f64.to_bits (hist f64.max (-f64.inf) 5 bins xs)",
        "map f64.to_bits (hist f64.min f64.inf 5 bins xs)",
        "map f32.to_bits (hist f32.max (-0.0) 5 bins (map f32.f64 xs)) |> map u64.u32",
        "map f32.to_bits (hist f32.min 0 5 bins (map f32.f64 xs)) |> map u64.u32",
        // no number, and zeros of both signs, both before and after others
        "hist (\\x y -> f64.min y x) (-0.0) 5 bins xs |> map f64.to_bits",
        "hist f64.max f64.nan 5 bins xs |> map f64.to_bits",
        "hist i8.min i8.highest 5 bins (map i8.f64 xs) |> map u64.i8",
        "hist u8.max 0 5 bins (map u8.f64 xs) |> map u64.u8",
        "hist (\\x y -> if x < y then x else y) f64.inf 5 bins xs |> map f64.to_bits",
        "hist (\\x y -> if x < y then y else x) (-f64.inf) 5 bins xs |> map f64.to_bits",
        "hist i64.max i64.lowest 5 bins (map i64.f64 xs) |> map u64.i64",
        "hist (&&) true 5 bins (map (> 0) xs) |> map u64.bool",
        // the later of equal ones, and the zero that comes first
        "hist (\\(x, i) (y, j) -> if x > y || (x == y && i > j) then (x, i) else (y, j))"
            + " (-f64.inf, -1) 5 bins (zip xs (iota n)) |> map (.1) |> map u64.i64",
        "hist (\\x y -> if x >= y then x else y) (-f64.inf) 5 bins xs |> map f64.to_bits",
        // something new is computed, but not always
        "hist (\\x y -> i64.min 20 (x + y)) 0 5 bins (map (\\x -> i64.abs (i64.f64 x)) xs)"
            + " |> map u64.i64",
        "hist (\\(a, b) (c, d) -> (f64.max a c, b + d)) (-f64.inf, 0) 5 bins (zip xs xs)"
            + " |> map (\\(a, _) -> f64.to_bits a)",
      })
  void sameAsTheInterpreter(String body) {
    var text = "entry main [n] (bins: [n]i64) (xs: [n]f64): [5]u64 = " + body;
    var calls = new ArrayList<List<Value>>();
    for (int n : new int[] {0, 1, 40, 700}) {
      var bins = new double[n];
      var xs = new double[n];
      for (int i = 0; i < n; i++) {
        bins[i] = i * 7 % 6 - (i % 11 == 0 ? 1 : 0);
        xs[i] = bins[i] == 2 ? (i % 3 == 0 ? 0.0 : -0.0) : i * 13 % 17 - 8;
        // with NaN, an operator that compares is not associative
        if (!body.contains("if x") && bins[i] == 3 && i % 5 == 0) {
          xs[i] = Double.NaN;
        }
      }
      calls.add(List.of(ArrayValue.ofDoubles(Prim.I64, bins), ArrayValue.ofDoubles(Prim.F64, xs)));
    }
    Compare.each(Optimised.text(text), calls);
  }
}
