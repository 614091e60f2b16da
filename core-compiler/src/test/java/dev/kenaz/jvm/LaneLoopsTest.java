package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** While loops in maps run in vectors, each lane as often as its element wants. */
final class LaneLoopsTest {
  private static final int[] SIZES = {0, 1, 7, 16, 33, 64, 261};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map (\\x -> (loop (y, k) = (x, 0i32) while y < 100 && k < 50 do (y * 2 + 1, k + 1)).0) xs",
        "map (\\x -> T.i32 (loop (y, k) = (x, 0i32) while y < 90 && k < 50 do (y * 2 + 1, k + 1)).1)"
            + " xs",
        "map (\\x -> (loop (a, b, k) = (x, 1, 0i64) while k < limit && a <= 40 do"
            + " (a + b, a - b, k + 1)).1) xs",
        "map (\\x -> (loop (y, more) = (x, true) while more do (y + 3, y < 20)).0) xs",
        "map (\\x -> let (y, _, odd) = loop (y, k, odd) = (x, 0i32, false) while y < 60 && k < 40 do"
            + " (y + 7, k + 1, !odd) in if odd then y else 0 - y) xs",
        "map (\\x -> (loop (y, k) = (x, 0u8) while y < 50 && k < 200 do (y + 1, k + 5)).0) xs",
        "map (\\x -> let y = loop y = x while y < 10 do y + 4 in"
            + " loop z = y while z < 30 do z + y - y + 9) xs",
        "map (\\x -> loop y = x while x > 5 && y < 40 do y + x) xs",
        "replicate n (T.sum (map (\\x -> loop y = x while y < 25 do y + 6) xs))",
        "map (\\x -> f64.i64 limit |> \\l -> T.f64 (loop y = f64.T x while y < l do y * 0.5 + 12)) xs",
        "map (\\x -> T.i64 (loop k = 0i64 while k * k < i64.T x do k + 1)) xs",
        "tabulate n (\\i -> loop y = xs[i] while y < T.i64 (i & 7) do y + 2)",
      })
  void sameAsTheInterpreter(String body) {
    for (var prim : List.of(Prim.F32, Prim.F64, Prim.I32, Prim.I64)) {
      var type = prim.text();
      var text =
          "entry main [n] (xs: [n]%s) (limit: i64): [n]%s = %s"
              .formatted(type, type, body.replace("T.", type + "."))
              .replace(".T ", "." + type + " ");
      var program = Optimised.text(text);
      boolean without = StencilsTest.withoutLongConversions();
      assertTrue(without || StencilsTest.inVectors(program), text);
      var calls = new ArrayList<List<Value>>();
      for (int n : SIZES) {
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 23 - 5).toArray();
        for (long limit : List.of(0L, 17L)) {
          calls.add(List.of(ArrayValue.ofDoubles(prim, numbers), ScalarValue.i64(limit)));
        }
      }
      Compare.each(program, calls);
    }
  }
}
