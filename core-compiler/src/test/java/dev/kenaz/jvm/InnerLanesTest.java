package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

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
 * Points of a loop inside others are taken together too, whatever the loops around do. At sizes
 * around a block of points, with loops that are empty, short and too long.
 */
@Execution(CONCURRENT)
final class InnerLanesTest {
  private static final int[][] SIZES = {
    {2, 129, 3},
    {1, 128, 1},
    {3, 127, 2},
    {2, 300, 4},
    {2, 1, 3},
    {1, 0, 2},
    {0, 129, 2},
    {1, 130, 0},
    {1, 129, 33}
  };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[n][m]f64 = map (\\xs -> map (\\x -> f64.sum (map (\\y -> f64.sum (map (\\b -> (b -"
            + " y) * (b-y)) x)) xs[0])) xs) xss",
        "[n][m][k]f64 = map (\\xs -> loop xs = copy xs for i < 3 do map (\\x -> map (\\y ->"
            + " f64.sum (map (\\b -> (b - y) * (b-y) / 10) x)) xss[0,0]) xs) xss",
        "[n][m]f64 = map (\\xs -> let c = xs[0,0] > 1 in map (\\x -> let (s, t) = if c then"
            + " (f64.sum (map (\\y -> f64.sum (map (\\b -> b * y) x)) xs[0]), f64.sum xs[0]) else"
            + " (f64.sum x, f64.product xs[0]) in s * t + f64.sum (map (\\y -> f64.sum (map (\\b"
            + " -> b - y) x)) xs[0])) xs) xss",
        "[n][m]f64 = map (\\xs -> (loop (i, acc) = (0, map (\\_ -> 0) xs) while i < 3 &&"
            + " f64.sum acc < 40 do (i + 1, map2 (\\x a -> a + f64.sum (map (\\y -> f64.sum (map"
            + " (\\b -> (b - y) * (b - a)) x)) xs[0])) xs acc)).1) xss",
        "[k]f64 = vjp (\\w -> f64.sum (map (\\xs -> let s = map (\\x -> f64.sum (map2 (\\a b"
            + " -> f64.sum (map (\\v -> (v - a) * b * b) w)) x w)) xs in f64.sum (map2 (*) s"
            + " (rotate 1 s))) xss)) (map (\\i -> f64.i64 i - 1) (iota k)) 1",
        "[3][n][m]f64 = map (\\d -> jvp (\\q -> map (\\xs -> map (\\x -> f64.sum (map (\\y"
            + " -> f64.sum (map (\\b -> (b - y) * (b-y) * q) x)) xs[0])) xs) xss) 2 d) [1, 2, 0.5]",
        "[n][m][2]f64 = map (\\xs -> let c = xs[0,0] > 1 in map (\\x -> let r = map (\\q ->"
            + " f64.sum (map (\\y -> f64.sum (map (\\b -> (b - y) * q) x)) xs[0])) [1, 2] in if c"
            + " then r with [0] = 5 else r) xs) xss",
        "[n][m]i64 = map (\\xs -> map (\\x -> (loop (d, j) = (1e30, -1) for i < k do let e ="
            + " f64.sum (map (\\b -> (b - xs[0,i]) ** 2) x) in if e < d then (e, i) else (d,"
            + " j)).1) xs) xss",
        "[n][4]f64 = map (\\xs -> reduce_by_index (replicate 4 0) (+) 0 (map (\\x -> i64.f64"
            + " x[0] % 4) xs) (map (\\x -> f64.sum (map (\\y -> f64.sum (map (\\b -> (b - y)) x))"
            + " xs[0])) xs)) xss",
        "[n][m][k]f64 = map (\\xs -> loop ys = copy xs for i < 4 do let r = map (\\x ->"
            + " f64.sum (map (\\y -> f64.sum (map (\\b -> (b - y) / 8) x)) xs[0])) ys in ys with"
            + " [:,0] = r) xss",
      })
  void together(String body) {
    check(body, true);
  }

  /** What makes an array in place, adds to shared rows, or has no vectors. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[n][m][k]f64 = map (\\xs -> map (\\x -> loop x = copy x for i < k do x with [i] ="
            + " x[i] * 2 + (if i > 0 then x[i-1] else 0)) xs) xss",
        "[k][k]f64 = vjp (\\w -> f64.sum (map (\\xs -> f64.sum (map (\\x -> let y = map (\\r"
            + " -> f64.sum (map2 (*) r x)) w in f64.sum (map (\\a -> a * a) y) * xs[0,0]) xs))"
            + " xss)) (tabulate_2d k k (\\i j -> f64.i64 (i * 3 + j) - 1)) 1",
        "([n][m]i8, [n][m]u16, [n][m]i32, [n][m]i64) = unzip4 (map (\\xs -> unzip4 (map (\\x"
            + " -> (i8.sum (map (\\y -> i8.sum (map (\\b -> i8.f64 b * i8.f64 y) x)) xs[0]),"
            + " u16.sum (map (\\y -> u16.sum (map (\\b -> u16.f64 (b*b) * u16.f64 (y*y)) x))"
            + " xs[0]), i32.sum (map (\\y -> i32.sum (map (\\b -> i32.f64 b / (1 + i32.abs"
            + " (i32.f64 y))) x)) xs[0]), i64.minimum (map (\\y -> i64.sum (map (\\b -> i64.f64 b"
            + " - i64.f64 y) x)) xs[0]))) xs)) xss)",
      })
  void apart(String body) {
    check(body, false);
  }

  private static void check(String body, boolean together) {
    var text = "entry main [n] [m] [k] (xss: [n][m][k]f64): " + body;
    var program = Optimised.text(text);
    if (together && !StencilsTest.shortVectors()) {
      assertTrue(
          Pipelines.loops(2).apply(program).functions().stream().anyMatch(f -> Lanes.in(f) != f),
          text);
    }
    var calls = new ArrayList<List<Value>>();
    for (var s : SIZES) {
      calls.add(List.of(numbers(s, -1)));
      calls.add(List.of(numbers(s, 1)));
      calls.add(List.of(unusual(s)));
    }
    Compare.each(program, calls);
  }

  /** Numbers among which some are none, infinite or negative zeros. */
  private static ArrayValue unusual(int[] s) {
    var some = new double[] {1, 2, Double.NaN, 0.5, -0.0, 1, 1 / 0.0, 3, -1, -1 / 0.0, 4};
    var all = IntStream.range(0, s[0] * s[1] * s[2]).mapToDouble(i -> some[i % some.length]);
    return ArrayValue.ofDoubles(Prim.F64, all.toArray()).reshape(s[0], s[1], s[2]);
  }

  private static ArrayValue numbers(int[] s, int least) {
    var all = IntStream.range(0, s[0] * s[1] * s[2]).mapToDouble(i -> i * 7 % 5 + least);
    return ArrayValue.ofDoubles(Prim.F64, all.toArray()).reshape(s[0], s[1], s[2]);
  }
}
