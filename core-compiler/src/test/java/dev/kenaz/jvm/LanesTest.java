package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Points whose functions have short loops in them are taken together. At sizes around a block of
 * points, with loops that are empty, short and too long, and for derivatives, which sum up.
 */
@Execution(CONCURRENT)
final class LanesTest {
  private static final int[] SIZES = {0, 1, 63, 128, 129, 300};
  private static final int[][] INNER = {{3, 2}, {0, 3}, {4, 0}, {1, 1}, {2, 40}, {3, 9}};

  private static final String DISTANCE = "f.sum (map2 (\\a b -> (a - b) * (a - b)) x w)";

  private static final String NEAREST =
      "(loop (d, n) = (f.highest, -1) for i < k do let w = ws[i] let e = DISTANCE"
          + " in if e < d then (e, i) else (d, n)).1";

  @ParameterizedTest
  @ValueSource(
      strings = {
        // distances of points from some centres, and what is made of them
        "[f.sum (map (\\x -> f.minimum (map (\\w -> DISTANCE) ws)) xs)]",
        "map (\\x -> f.minimum (map (\\w -> DISTANCE) ws)) xs",
        "map (\\x -> let s = map (\\w -> DISTANCE) ws let m = f.maximum s"
            + " in f.sum (map (\\s -> (s - m) * s) s)) xs",
        // what is read lies side by side
        "map (\\x -> f.sum (map (\\w -> DISTANCE) ws)) (transpose (copy (transpose xs)))",
        // loops that change what is the same for all points
        "map (\\x -> loop a = 0 for i < k do let w = ws[i] in a * 2 - DISTANCE) xs",
        // rows of results, which are written at a stride
        "flatten (map (\\x -> map (\\q -> f.sum (map (\\w -> q * DISTANCE) ws)) x) xs)",
        // few points outside and many inside
        "map (\\w -> let s = map (\\x -> f.sum (map (\\v -> DISTANCE + f.sum (map2 (*) v x)) ws))"
            + " xs in f.sum (map2 (*) s ys)) ws",
        // several loops of a point
        "map2 (\\x y -> f.sum (map (\\w -> DISTANCE + (if k > 2 then DISTANCE * y else y)) ws)) xs"
            + " ys",
        "map2 (\\x y -> f.sum (map (\\_ -> if y > 2 then y * y else y) ws)) xs ys"
            + " |> map2 (\\x y -> f.sum (map (\\w -> DISTANCE * y) ws)) xs",
        // derivatives by what is the same for all points
        "flatten (vjp (\\ws -> f.sum (map (\\x -> let s = f.sum (map (\\w -> DISTANCE) ws) in s *"
            + " s) xs)) ws 1)",
        "let (y, r) = vjp2 (\\ws -> f.sum (map (\\x -> let s = f.sum (map (\\w -> DISTANCE) ws)"
            + " in s * s) xs)) ws 1 in flatten r ++ [y]",
        "let g = vjp (\\(ws, q) -> f.sum (map2 (\\x y -> let s = f.sum (map2 (\\w q -> let r = map2"
            + " (-) x w in y * f.sum (map2 (\\q a -> a * f.sum (map2 (*) q r)) q r)) ws q) in s *"
            + " s) xs ys)) (ws, replicate k (replicate d (replicate d 2))) 1 in flatten g.0 ++"
            + " flatten (flatten g.1)",
        "vjp (\\s -> f.sum (map (\\x -> let t = f.sum (map2 (\\w s -> s * DISTANCE) ws s) in t * t)"
            + " xs)) (replicate k 1) 1",
        // what each point updates by itself, where it has found
        "flatten (vjp (\\ws -> f.sum (map (\\x -> f.minimum (map (\\w -> DISTANCE) ws)) xs)) ws 1)",
        "let (y, r) = vjp2 (\\ws -> f.sum (map (\\x -> f.minimum (map (\\w -> DISTANCE) ws)) xs)) ws 1"
            + " in flatten r ++ [y]",
        "reduce_by_index (replicate k 0) (+) 0 (map (\\x -> NEAREST) xs) ys",
        "flatten (reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0)"
            + " (map (\\x -> NEAREST) xs) xs)",
      })
  void together(String body) {
    check(body, true);
  }

  /** What is read only once, or has an update that depends on the data. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map f.sum xs",
        "map2 (\\x y -> f.sum (map (\\w -> if k > 2 then DISTANCE else y) ws)) xs ys",
        "map (\\x -> (loop (a, b) = (0, 1) for j < d do"
            + " (loop a = a for i < k do a + b * x[j] - ws[i, j], b + 1)).0) xs",
        "flatten (vjp (\\ws -> f.sum (map (\\x -> f.sum (map (\\w -> let s = DISTANCE in s * s)"
            + " ws)) xs)) ws 1)",
        "map (\\x -> f.sum (map (\\w -> DISTANCE) ws)) xs |> map (\\x -> x + 1)" + " |> scan (+) 0",
        "reduce_by_index (replicate k 0) (+) 0 (map (\\y -> i64.f y % 3) ys) (map f.sum xs)",
        "vjp (\\s -> f.sum (map2 (\\x y -> s[i64.f y % 3] * f.sum x) xs ys)) (replicate 3 1) 1",
      })
  void apart(String body) {
    check(body, false);
  }

  /** What is the same for all points at first, and what a point then adds to, begins anew. */
  @Test
  void eachPointBeginsAnew() {
    var program =
        Optimised.text(
            """
            entry main [n] [k] [d] (xs: [n][d]f64) (ws: [k]f64) (ys: [n]f64) =
              map2 (\\x y -> f64.sum (map (* y) ws) + f64.sum (map (\\q -> f64.sum (map (* q) ws)) x))
                xs ys
            """);
    var calls = new ArrayList<List<Value>>();
    for (int n : new int[] {33, 130, 300}) {
      calls.add(List.of(matrix(Prim.F64, n, 2), row(Prim.F64, 2), row(Prim.F64, n)));
    }
    Compare.each(program, calls);
  }

  private static void check(String body, boolean together) {
    for (var prim : List.of(Prim.F64, Prim.F32, Prim.I32)) {
      var text =
          "module f = %s entry main [n] [k] [d] (xs: [n][d]f.t) (ws: [k][d]f.t) (ys: [n]f.t) = %s"
              .formatted(
                  prim.text(), body.replace("NEAREST", NEAREST).replace("DISTANCE", DISTANCE));
      text = text.replace("f.t", prim.text()).replace("i64.f ", "i64." + prim.text() + " ");
      var program = Optimised.text(text);
      var taken =
          Pipelines.loops(2).apply(program).functions().stream().anyMatch(f -> Lanes.in(f) != f);
      if (!together || !StencilsTest.shortVectors()) {
        assertEquals(together, taken, text);
      }
      var calls = new ArrayList<List<Value>>();
      for (int n : SIZES) {
        for (var inner : INNER) {
          calls.add(
              List.of(matrix(prim, n, inner[1]), matrix(prim, inner[0], inner[1]), row(prim, n)));
        }
      }
      Compare.each(program, calls);
    }
  }

  private static ArrayValue matrix(Prim prim, int n, int m) {
    return row(prim, n * m).reshape(n, m);
  }

  private static ArrayValue row(Prim prim, int n) {
    return ArrayValue.ofDoubles(
        prim, IntStream.range(0, n).mapToDouble(i -> i * 7 % 5 - 1).toArray());
  }
}
