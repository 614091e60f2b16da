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
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops over rows and their elements become one where nothing depends on the rows. */
final class FlatRowsTest {
  private static final int[][] SIZES = {
    {0, 0}, {1, 1}, {3, 0}, {0, 3}, {2, 3}, {7, 5}, {40, 3}, {5, 70}, {33, 33}
  };

  /** One loop, or one inside another. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          1 ; map (map (* 3)) a
          1 ; map2 (map2 (+)) a b
          1 ; map2 (map2 (\\x y -> x * w[0] + y)) a b
          1 ; tabulate_2d n m (\\i j -> a[i, j] + b[i, j])
          1 ; map (map (\\x -> loop s = x for q < 5 do s * x + q)) a
          2 ; map2 (\\x r -> map (* x) r) v a
          2 ; map (map2 (+) w) a
          2 ; tabulate_2d n m (\\i j -> a[i, j] + i)
          2 ; tabulate_2d n m (\\i j -> a[i, j] + j)
          2 ; tabulate_2d n m (\\i j -> a[n - 1 - i, j])
          2 ; tabulate_2d n m (\\i j -> a[i, m - 1 - j])
          """)
  void sameAsTheInterpreter(int depth, String body) {
    var text =
        """
        entry main [n] [m] (a: [n][m]i64) (b: [n][m]i64) (v: [n]i64) (w: [m]i64): [n][m]i64 = %s
        """
            .formatted(body);
    var program = Optimised.text(text);
    boolean hasLoop = body.contains("loop");
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      assertEquals(
          depth + (hasLoop ? 1 : 0), depth(FlatRows.in(CounterBounds.without(f)).body()), text);
    }
    var calls = new ArrayList<List<Value>>();
    for (var size : SIZES) {
      int n = size[0];
      int m = size[1];
      calls.add(List.of(numbers(n, m), numbers(n, m), numbers(n), numbers(m)));
    }
    Compare.each(program, calls);
  }

  /** Rows of a few elements, whose number is a constant, in an array of three dimensions. */
  @ParameterizedTest
  @CsvSource({"1", "2", "3", "4", "6"})
  void shortRows(int width) {
    var program =
        Optimised.text(
            """
            entry main [n] [m] (a: [n][m][%d]i64): ([n][m][%d]i64, [n][m]i64) =
              (map (map (map (\\x -> x * 2 + 1))) a, map (map (\\r -> r[0] * 5)) a)
            """
                .formatted(width, width));
    var calls = new ArrayList<List<Value>>();
    for (var size : SIZES) {
      calls.add(List.of(numbers(size[0], size[1], width)));
    }
    Compare.each(program, calls);
  }

  private static ArrayValue numbers(long... shape) {
    int count = 1;
    for (long n : shape) {
      count *= Math.toIntExact(n);
    }
    var random = new SplittableRandom(count);
    var all = new double[count];
    for (int i = 0; i < count; i++) {
      all[i] = random.nextInt(-1000, 1000);
    }
    return ArrayValue.ofDoubles(Prim.I64, all, shape);
  }

  /** Returns how many loops are inside each other at most, those over parts of rows included. */
  private static int depth(List<Code> code) {
    return code.stream().mapToInt(FlatRowsTest::depth).max().orElse(0);
  }

  private static int depth(Code c) {
    int own = c instanceof Code.For || c instanceof Code.While ? 1 : 0;
    return own
        + Stream.of(c)
            .flatMap(x -> CodeWalk.inner(x).stream())
            .mapToInt(FlatRowsTest::depth)
            .max()
            .orElse(0);
  }
}
