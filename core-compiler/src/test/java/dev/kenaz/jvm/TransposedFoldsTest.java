package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reductions and scans of vectors that lie one beside the other go along memory. */
final class TransposedFoldsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          true; reduce (map2 (*)) (replicate d 1) (transpose xs)
          true; reduce (map2 f64.min) ne (transpose xs)
          true; reduce (map2 (\\a b -> if b == 9 then a else b)) (replicate d 9) (transpose xs)
          true; transpose (scan (map2 (*)) (replicate d 1) (transpose xs))
          true; transpose (scan (map2 f64.min) ne (transpose xs))
          true; transpose (scan (map2 (\\a b -> if b == 9 then a else b)) (replicate d 9) (transpose xs))
          true; map (map f64.abs) (transpose (scan (map2 (+)) (replicate d 0) (transpose xs)))
          false; scan (map2 f64.min) ne (transpose xs)
          false; let s = scan (map2 f64.min) ne (transpose xs) in (s, copy (transpose s))
          false; reduce (map2 (+)) (replicate n 0) xs
          false; transpose (scan (map2 (+)) (replicate n 0) xs)
          """)
  void alongMemory(boolean found, String body) {
    var text = "entry main [d][n] (xs: [d][n]f64) (ne: [d]f64) = " + body;
    assertEquals(found, found(text), text);
    Compare.each(
        Optimised.verified(text),
        List.of(
            arguments(3, 500),
            arguments(500, 3),
            arguments(16, 16),
            arguments(1, 7),
            arguments(7, 1),
            arguments(0, 5),
            arguments(5, 0)));
  }

  private static boolean found(String text) {
    var found = new boolean[1];
    for (var f : Pipelines.loops(1).apply(Optimised.text(text)).functions()) {
      CodeWalk.code(
          f.body(),
          c -> found[0] |= c instanceof Code.For l && l.i().name().equals("element"),
          _ -> {});
    }
    return found[0];
  }

  /** Returns numbers, and as many greater ones as there are rows. */
  private static List<Value> arguments(int d, int n) {
    var random = new Random(d * 1000 + n);
    var xs = random.doubles(d * n, -1, 1).toArray();
    var greater = random.doubles(d, 1, 2).toArray();
    return List.of(ArrayValue.ofDoubles(xs, d, n), ArrayValue.ofDoubles(greater, d));
  }
}
