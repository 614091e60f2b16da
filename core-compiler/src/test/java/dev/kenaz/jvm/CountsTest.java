package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a condition holds, or whether it ever does, needs no vectors of numbers. */
final class CountsTest {
  private static final int[] SIZES = {0, 1, 7, 33, 1000};

  /** The number of bytes is that of the widest numbers that are compared. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          4; length (filter (> 3) xs)
          4; i64.sum (map (\\x -> i64.bool (x > 3)) xs)
          4; i64.sum (map (\\x -> if x > 3 then 1 else 0) xs)
          4; i64.i32 (i32.sum (map (\\x -> i32.bool (x * x > 3)) xs))
          4; i64.sum (map2 (\\x y -> i64.bool (x > y)) xs (rotate 1 xs))
          8; i64.sum (map (\\x -> i64.bool (f64.f32 x > 3)) xs)
          """)
  void widths(int bytes, String body) {
    var program = Optimised.text("entry main [n] (xs: [n]f32): i64 = " + body);
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(f.body(), c -> assertEquals(bytes, widest(c, bytes), body), _ -> {});
    }
    compare(program);
  }

  /** The loop that asks the elements is in vectors; the one over the chunks' answers is not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "any (> 3) xs",
        "all (\\x -> x >= 0 && x != 5) xs",
        "any f32.isnan xs",
        "all (\\x -> !f32.isinf (x / 5 - 1)) xs",
        "any (\\x -> f64.f32 x > 10) xs",
        "let (m, k) = (f32.sum xs, any (> 3) xs) in k || m > 3"
      })
  void answers(String body) {
    var program = Optimised.text("entry main [n] (xs: [n]f32): bool = " + body);
    var inVectors = new ArrayList<Code>();
    for (var f : Pipelines.loops(1).apply(program).functions()) {
      CodeWalk.code(
          f.body(),
          c -> {
            if (c instanceof Code.For && widest(c, 0) > 0) {
              inVectors.add(c);
            }
          },
          _ -> {});
    }
    assertEquals(1, inVectors.size(), body);
    compare(program);
  }

  private static void compare(CoreProgram program) {
    var calls =
        IntStream.of(SIZES)
            .mapToObj(
                n -> IntStream.range(0, n).mapToDouble(i -> i % 13 == 5 ? Double.NaN : i * 7 % 11))
            .map(xs -> List.<Value>of(ArrayValue.ofDoubles(Prim.F32, xs.toArray())))
            .toList();
    Compare.each(program, calls);
  }

  /** Returns the number of bytes of a loop's widest vectors; for other code the other number. */
  static int widest(Code c, int otherwise) {
    try {
      return c instanceof Code.For f ? VectorLoops.of(f).widest() : otherwise;
    } catch (Unsuitable u) {
      return otherwise;
    }
  }
}
