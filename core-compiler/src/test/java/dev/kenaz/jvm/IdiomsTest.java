package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs often contain runs in vectors, and computes the same. */
final class IdiomsTest {
  private static final int[] SIZES = {0, 1, 2, 7, 33, 300};

  @ParameterizedTest
  @ValueSource(
      strings = {
        // indices that wrap around, without a check of the divisor
        "map (\\i -> xs[(i + n - 3) % n] - xs[(i + 1) % n]) (iota n)",
        "map3 (\\a b c -> a + 2 * b + 3 * c) (rotate (-1) xs) xs (rotate 2 xs)",
        "let b = map (> 2) xs in map3 (\\a b c -> i32.bool (a != b && (b || c))) (rotate (-1) b) b"
            + " b",
        // conditions as results of branches on indices
        "map (\\i -> i32.bool (i > 0 && xs[i-1] < xs[i])) (iota n)",
        "map (\\i -> i32.bool (i == 0 || xs[i-1] <= xs[i])) (iota n)",
        "map (\\i -> let b = if i > 0 then f64.i32 xs[i-1] > 1.5 else xs[i] > 2 in if b then 1 else"
            + " 2) (iota n)",
        "map i32.i64 (filter (\\i -> i > 0 && i32.abs (xs[i] - xs[i-1]) > 1) (iota n))",
        // rows of small integers
        "let y = map u8.i32 xs in map i32.u8 (flatten (map (\\c -> [c >> 4, c & 15]) y))",
        "let y = map (\\v -> [i8.i32 v, i8.i32 (v * 77)]) xs in map (\\r"
            + " -> i32.i8 r[0] - i32.i8 r[1]) y",
        "map i32.i16 (flatten (map (\\v -> [i16.i32 v, i16.i32 (v * 9999), 7]) xs))",
        // copies into short rows
        "flatten (transpose [xs, map (+ 1) xs])",
        "flatten (transpose [xs, map (* 2) xs, xs, map (+ 1) xs])",
        "let y = map u8.i32 xs in map i32.u8 (flatten (transpose [y, y, map (+ 1) y]))",
        "let y = map f64.i32 xs in map i32.f64 (flatten (transpose [y, map (+ 1) y, y]))",
        // loops in loops that are written out, whose registers are each iteration's own
        "map (\\x -> loop l = 1 for j < 3i32 do loop q = x for h < 3i32 do h) xs",
        "map (\\x -> loop l = x for j < 3i32 do l + (loop q = x for h < 4i32 do"
            + " if q > h then h * l else x)) xs",
        "map (\\x -> (loop (l, p) = (1, x) for j < 3i32 do let (q, r) = loop (q, r) = (x, l)"
            + " for h < 3i32 do (h * l, p) in (q + r, q)).0) xs",
        // each part of a partition is a filter
        "let (a, b, c) = partition2 (> 3) (> 1) xs in a ++ b ++ c"
      })
  void vectors(String body) {
    var program = Optimised.text("entry main [n] (xs: [n]i32): []i32 = " + body);
    var found = new boolean[1];
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(f.body(), c -> found[0] |= inVectors(c), _ -> {});
    }
    assertTrue(found[0], body);
    compare(program);
  }

  private static void compare(CoreProgram program) {
    var calls =
        IntStream.of(SIZES)
            .mapToObj(n -> IntStream.range(0, n).mapToLong(i -> i * 7919L % 13 - 6))
            .map(xs -> List.<Value>of(ArrayValue.ofLongs(Prim.I32, xs.toArray())))
            .toList();
    Compare.each(program, calls);
  }

  /** Copies into rows that have no vectors, or of one element. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "flatten (transpose [xs])",
        "let b = map (> 2) xs in map i32.bool (flatten (transpose [b, map (\\x -> !x) b]))",
        "let y = map f16.i32 xs in map i32.f16 (flatten (transpose [y, map (+ 1) y, y]))",
        "let y = map (\\x -> [[x, x + 1], [x * 2, x - 1], [x, 7]]) xs in"
            + " flatten (flatten (map transpose y))",
        "let y = map (\\x -> [x, x + 1, x * 2]) xs in"
            + " flatten (transpose (map (rotate 1) (transpose y))) ++ flatten (reverse y)"
      })
  void shortRows(String body) {
    compare(Optimised.text("entry main [n] (xs: [n]i32): []i32 = " + body));
  }

  /** Branches on data that read. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\i -> i32.bool (i > 0 && i < n-1 && xs[i] > xs[i-1] && xs[i] > xs[i+1])) (iota n)",
        "map2 (\\i a -> if a > 0 then (if i > 0 then xs[i-1] else 7) else a) (iota n) xs",
        "map2 (\\i a -> if a > 0 && i > 2 then xs[i-3] else if a < -3 && i < n - 2 then xs[i+2]"
            + " else a) (iota n) xs",
        "let v = [3i32, 5, -7, 9] in map (\\a -> loop s = a for k < 4 do if (a >> i32.i64 k) & 1 =="
            + " 1 then s ^ v[k] else s + 1) xs",
        "let b = map (> 2) xs in"
            + " map2 (\\i a -> i32.bool (if a > 0 && i > 0 then b[i-1] else a < -5)) (iota n) xs",
        "let y = map u8.i32 xs in map (\\i -> i32.bool (y[i] == 3 || (y[i] == 2 && i + 1 < n &&"
            + " y[i+1] > 1))) (iota n)"
      })
  void masks(String body) {
    var program = Optimised.text("entry main [n] (xs: [n]i32): []i32 = " + body);
    if (Vectors.F64.vectorByteSize() >= 64) {
      var found = new boolean[1];
      for (var f : Pipelines.loops(1).apply(program).functions()) {
        CodeWalk.code(f.body(), c -> found[0] |= hasMasks(c), _ -> {});
      }
      assertTrue(found[0], body);
    }
    compare(program);
  }

  private static boolean hasMasks(Code c) {
    try {
      return c instanceof Code.For f && MaskedReads.vectors(f).masks();
    } catch (Unsuitable u) {
      return false;
    }
  }

  private static boolean inVectors(Code c) {
    try {
      return c instanceof Code.For f && VectorLoops.of(f) != null;
    } catch (Unsuitable u) {
      return false;
    }
  }
}
