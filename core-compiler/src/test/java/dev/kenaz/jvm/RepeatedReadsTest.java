package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.LoopPrinter;
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
 * What points read at a stride is copied once if a loop around them reads it again, and only then:
 * not if the loop changes it, or how much of it there is.
 */
@Execution(CONCURRENT)
final class RepeatedReadsTest {
  private static final String FAR =
      "f64.sum (map (\\w -> f64.sum (map3 (\\a b c -> (a - b) * c) x w u)) ws)";

  /** What may fail keeps the loop around whole. */
  private static final String EACH =
      "map2 (\\\\u i -> let y = ws[i % 3, 0] in $1) us (indices us)$2";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EACH (scaled (map (\\x -> FAR + y) xs))",
        // sums rather than arrays
        "[EACH (f64.sum (scaled (map (\\x -> FAR + y) xs)))]",
        // a branch around the points: perhaps nobody reads them
        "EACH (if d > 0 && u[0] > 0 then scaled (map (\\x -> FAR + y) xs) else replicate n y)",
        // a loop around, which goes on from what it had, and one around that
        "EACH (loop a = replicate n y for u in us do"
            + " scaled (map2 (\\a x -> a * y + FAR) a xs))",
      })
  void once(String body) {
    check(body, true);
  }

  /** Where the loop around makes the address of the points itself, they are copied each time. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // a part of the points
        "EACH (scaled (map (\\x -> FAR + y) (drop (n / 3) xs)))",
        // directions of a derivative
        "EACH (jvp (\\ws -> scaled (map (\\x -> let s = FAR in s * s) xs)) ws"
            + " (map (map (* y)) ws))",
        // some of what is read changes
        "EACH ((loop (a, zs) = (replicate n y, copy xs) for u in us do"
            + " (scaled (map3 (\\a x z -> a + FAR + f64.sum (map2 (*) z x)) a xs zs),"
            + " map (map (+ y)) zs)).0)",
      })
  void resultsAreTheSame(String body) {
    compare(Optimised.text(text(body)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // the points change
        "EACH (flatten (loop xs = copy xs for u in us do"
            + " map2 (\\x s -> map (+ (s + y)) x) xs (scaled (map (\\x -> FAR) xs))))",
        "EACH (flatten (loop xs = copy xs for u in us do"
            + " let s = f64.sum (scaled (map (\\x -> FAR + y) xs))"
            + " in if n > 0 && d > 0 then xs with [n / 2, 0] = s else xs))",
        // the same where only the loop inside leaves the number of points as it is
        "EACH ([f64.sum (map f64.sum (loop zs = copy (take (i64.min n (i * 40 + 133)) xs) for u in us do"
            + " let s = f64.sum (scaled (map (\\x -> FAR + y) zs))"
            + " in if n > 0 && d > 0 then zs with [0, 0] = s else zs))])",
        // how many there are changes
        "[EACH (f64.sum (scaled (map (\\x -> FAR + y) (take (i64.min n (i * 40)) xs))))]",
        // each has its own
        "EACH (scaled (map (\\x -> FAR + y) (map (rotate i) xs)))",
        // no loop is around
        "[let u = replicate d 2 in scaled (map (\\x -> FAR) xs)]",
      })
  void eachTime(String body) {
    check(body, false);
  }

  /** So many points that copies of all of them would take too much memory. */
  @Test
  void perBlock() {
    var program = Optimised.text(text("EACH (scaled (map (\\x -> FAR + y) xs))"));
    var calls = new ArrayList<List<Value>>();
    for (int n : new int[] {14_560, 14_600, 20_000}) {
      calls.add(List.of(matrix(3, 9), matrix(n, 9), matrix(1, 9)));
    }
    Compare.each(program, calls);
  }

  private static String text(String body) {
    return "def scaled [n] (xs: [n]f64) = let m = f64.sum (map f64.abs xs) in map (/ (1 + m)) xs"
        + " entry main [q] [n] [k] [d] (us: [q][d]f64) (xs: [n][d]f64) (ws: [k][d]f64): [][]f64 = "
        + body.replaceFirst("EACH (.*?)(]?)$", EACH).replace("FAR", FAR);
  }

  private static void check(String body, boolean once) {
    var program = Optimised.text(text(body));
    var kept =
        Pipelines.loops(2).apply(program).functions().stream()
            .anyMatch(f -> LoopPrinter.print(Lanes.in(f).body()).contains("pitch"));
    if (!StencilsTest.shortVectors()) {
      assertEquals(once, kept, body);
    }
    compare(program);
  }

  private static void compare(CoreProgram program) {
    var calls = new ArrayList<List<Value>>();
    for (int n : new int[] {0, 1, 31, 32, 128, 161, 300}) {
      for (var s :
          new int[][] {{0, 3, 2}, {1, 3, 2}, {3, 3, 3}, {5, 4, 1}, {2, 3, 40}, {3, 40, 2}}) {
        calls.add(List.of(matrix(s[0], s[2]), matrix(n, s[2]), matrix(s[1], s[2])));
      }
    }
    Compare.each(program, calls);
  }

  private static ArrayValue matrix(int n, int m) {
    var elements = IntStream.range(0, n * m).mapToDouble(i -> i * 7 % 5 - 1).toArray();
    return ArrayValue.ofDoubles(Prim.F64, elements).reshape(n, m);
  }
}
