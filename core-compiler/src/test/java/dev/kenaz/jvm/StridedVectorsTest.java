package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of two, three and four elements go through vectors, and indices that are clamped. */
final class StridedVectorsTest {
  private static final int[] SIZES = {0, 1, 2, 7, 8, 17, 33, 64, 261};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\p -> let s = T.sum p in map (/ (s * s + 1)) p) ps",
        "map (\\p -> map (\\r -> T.sum (map2 (*) r p)) (tabulate_2d D D (\\i j -> T.i64 (i + 2 *"
            + " j)))) ps",
        "map (\\p -> reverse p) ps",
        "map (\\p -> tabulate D (\\i -> p[D - 1 - i] * 2 + T.i64 i)) ps",
        "map2 (map2 (+)) ps (reverse ps)",
        "map (\\p -> tabulate D (\\i -> if i == 0 then p[0] - p[1] else p[i] + p[0])) ps",
        "map (\\p -> let p = copy p let p[0] = p[0] + p[1] let p[1] = p[0] * 2 in p) ps",
        "map (\\p -> let p = copy p let a = p[0] let p[0] = p[1] let p[1] = a in p) ps",
        "map (\\p -> (loop p = copy p for i < D - 1 do let p[i + 1] = p[i] + p[i + 1] in p)) ps",
        "scatter (copy ps) (map (\\i -> (i + 7) % n) (iota n)) (map (map (+ 1)) ps)",
      })
  void rows(String body) {
    each("entry main [n] (ps: *[n][D]T): [n][D]T = " + body, false);
  }

  /** All three loops over coordinates are written out, so that the points are in lanes. */
  @Test
  void matricesTimesRows() {
    for (var prim : List.of(Prim.F32, Prim.F64, Prim.I32)) {
      var text =
          "entry main [n] (ps: [n][3]T): [n][3]T = let a = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]"
              + " in map (\\p -> map (\\r -> T.sum (map2 (*) r p)) a) ps";
      var program = Optimised.text(text.replace("T", prim.text()));
      var functions = Pipelines.loops(2).apply(program).functions();
      assertTrue(functions.stream().anyMatch(f -> pointsInLanes(f.body())), text);
      Compare.each(program, rows(prim, 3));
    }
  }

  /** Whether there is a loop of vectors with loops inside. */
  private static boolean pointsInLanes(List<Code> code) {
    return code.stream()
        .anyMatch(
            c ->
                c instanceof Code.For f && !loops(f.body()).isEmpty() && JvmProgram.runsInVectors(f)
                    || CodeWalk.inner(c).stream().anyMatch(StridedVectorsTest::pointsInLanes));
  }

  private static List<Code> loops(List<Code> code) {
    return code.stream().filter(Code.For.class::isInstance).toList();
  }

  private static List<List<Value>> rows(Prim prim, int d) {
    var calls = new ArrayList<List<Value>>();
    for (int n : SIZES) {
      var numbers = IntStream.range(0, n * d).mapToDouble(i -> i * 7 % 11 - 3).toArray();
      calls.add(List.of(ArrayValue.ofDoubles(prim, numbers).reshape(n, d)));
    }
    return calls;
  }

  /**
   * Compares a program for rows of all lengths.
   *
   * @param text with T for the elements' type, and D for the length
   */
  private static void each(String text, boolean inVectors) {
    for (var prim : List.of(Prim.F32, Prim.F64, Prim.I32, Prim.I64)) {
      for (int d = 2; d <= 4; d++) {
        var own = text.replace("D", Integer.toString(d)).replace("T", prim.text());
        var program = Optimised.text(own);
        assertTrue(!inVectors || StencilsTest.inVectors(program), own);
        Compare.each(program, rows(prim, d));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\p -> T.sum (map2 (*) p p)) ps",
        "map (\\p -> p[0] * p[1] - p[D - 1]) ps",
        "map (\\p -> T.maximum p) ps",
        "let s = T.sum (map (\\p -> p[1] * p[0]) ps) in map (\\p -> s + p[1]) ps",
      })
  void numbersOfRows(String body) {
    each("entry main [n] (ps: [n][D]T): [n]T = " + body, true);
  }

  /** Neighbours at the ends: clamped, around the corner, reflected; and what is clamped itself. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tabulate n (\\i -> xs[i64.max 0 (i - 1)] + xs[i64.min (n - 1) (i + 1)])",
        "tabulate n (\\i -> xs[i64.min (n - 1) (i64.max 0 (i + k))])",
        "tabulate n (\\i -> xs[(i + 1) % n] - xs[(i + n - 1) % n])",
        "tabulate n (\\i -> xs[(i + 3 * k) % n])",
        "tabulate n (\\i -> xs[(i + 3) %% n] + xs[i % 5 % n])",
        "tabulate n (\\i -> let j = i - 2 in xs[if j < 0 then -j % n else j])",
        "tabulate n (\\i -> let j = i + 2 in xs[if j >= n || j < 0 then n - 1 else j])",
        "tabulate n (\\i -> let j = i + 2 in xs[if j < n && j >= 0 then j else 0])",
        "tabulate n (\\i -> xs[i64.min i k % n] + x)",
        "tabulate n (\\i -> xs[i64.max i (i64.abs k) % n] + x)",
        "tabulate n (\\i -> xs[i64.min i (n - 1 - i)] + x)",
      })
  void ends(String body) {
    for (var prim : List.of(Prim.F32, Prim.I64, Prim.U8)) {
      var type = prim.text();
      var text =
          "entry main [n] (xs: [n]%s) (k: i64) (x: %s): [n]%s = ".formatted(type, type, type)
              + "if n == 0 then xs else "
              + body;
      var program = Optimised.text(text);
      var calls = new ArrayList<List<Value>>();
      for (int n : SIZES) {
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11).toArray();
        for (long k : List.of(0L, 5L, n - 3L, -2L, 1L << 62)) {
          calls.add(
              List.of(
                  ArrayValue.ofDoubles(prim, numbers),
                  ScalarValue.i64(k),
                  ScalarValue.ofDouble(prim, 5)));
        }
      }
      Compare.each(program, calls);
    }
  }
}
