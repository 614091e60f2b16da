package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.CounterBounds;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of columns go along the rows, with what a column keeps in memory. */
final class ColumnLoopsTest {
  private static final int[][] SIZES = {
    {1, 0}, {1, 1}, {3, 1}, {1, 3}, {20, 7}, {7, 255}, {3, 256}, {5, 257}, {2, 1100}, {70, 70}
  };

  /** Whether loops are turned. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          true  ; scan (+) 0 c
          false ; map (* 2) c
          true  ; scan (\\x y -> if x < y then y else x + 1) i64.lowest (map (* 3) c)
          true  ; let s = i64.sum c in map (\\x -> x * s) c
          true  ; let s = i64.sum c let t = i64.maximum c in map (\\x -> if x == t then s else x - t) c
          true  ; let (s, t) = loop (s, t) = (0, 1) for x in c do (s + x, t * 3 - s) in map (\\x -> x * s + t) c
          false ; reverse (scan (+) 0 (reverse c)) |> map2 (+) (map i64.i64 (iota n))
          true  ; (loop (s, o) = (0, replicate n 0) for i < n do (s * 3 + c[i], o with [i] = s)).1
          true  ; (loop o = replicate n 0 for i < n - 1 do o with [i + 1] = o[i] + c[i])
          """)
  void sameAsTheInterpreter(boolean turned, String body) {
    var text =
        """
        entry main [n] [m] (a: [n][m]i64): [n][m]i64 =
          transpose (map (\\c -> %s) (transpose a))
        """
            .formatted(body);
    var program = Optimised.text(text);
    boolean found = false;
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      var plain = EarlyChecks.in(CounterBounds.without(f));
      found |= loops(ColumnLoops.in(plain).body()) > loops(plain.body());
    }
    assertEquals(turned, found, text);
    var calls = new ArrayList<List<Value>>();
    for (var size : SIZES) {
      calls.add(List.of(numbers(size[0], size[1])));
    }
    Compare.each(program, calls);
  }

  private static long loops(List<Code> code) {
    var count = new long[1];
    CodeWalk.code(code, c -> count[0] += c instanceof Code.For ? 1 : 0, _ -> {});
    return count[0];
  }

  private static ArrayValue numbers(long n, long m) {
    var random = new SplittableRandom(n * 1000 + m);
    var all = random.doubles(n * m, -1000, 1000).map(Math::rint).toArray();
    return ArrayValue.ofDoubles(Prim.I64, all, n, m);
  }
}
