package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.flatten.FlattenOptions;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.segir.SegPrinter;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Filters stay what they are, and keep what they should, in one chunk and several, with vectors or
 * not.
 */
final class FilteringTest {
  private static final int[] SIZES = {0, 1, 7, 15, 16, 17, 64, 261, 1000};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "filter (\\x -> x > 2) xs",
        "filter (\\x -> x > 100) xs",
        "filter (\\x -> x > -100) xs",
        "map (\\x -> x * x) (filter (\\x -> x != 3) (map (+ 1) xs))",
        "filter (\\(x, i) -> x > 2 || i == 3) (zip xs (iota n)) |> map (.0)",
        "filter (\\(x, i) -> x > 2 && i % 3 == 1) (zip xs (map u8.i64 (map (% 50) (iota n))) |> map"
            + " (\\(x, i) -> (x, i64.u8 i))) |> map (.0)",
        "filter (\\x -> x > 2) xs ++ filter (\\x -> x <= 2) xs",
        "let ys = filter (\\x -> x > 2) xs in if length ys > 1 then ys with [1] = ys[0] else ys",
        "loop ys = xs ++ xs for i < 4 do filter (\\x -> x > i32.i64 i - 1 |> TYPE.i32) ys",
        "filter (\\r -> r[0] > 2) (map (\\x -> [x, x + 1]) xs) |> flatten",
      })
  void sameAsTheInterpreter(String body) {
    for (var prim : List.of(Prim.I64, Prim.F32, Prim.F64, Prim.I32, Prim.I16)) {
      var type = prim.text();
      var f = body.replace("i32.i64 i - 1 |> TYPE.i32", type + ".i64 (i - 1)");
      var text = "entry main [n] (xs: [n]%s): []%s = %s".formatted(type, type, f);
      var program = Optimised.text(text);
      var seg = SegPrinter.print(Pipelines.parallel(FlattenOptions.jvm(2)).apply(program));
      assertEquals(0, count(seg, "segscatter"), seg);
      assertEquals(count(body, "filter"), count(seg, "segfilter"), seg);
      var calls = new ArrayList<List<Value>>();
      for (int n : SIZES) {
        var numbers = IntStream.range(0, n).mapToDouble(i -> i * 7 % 11 - 3).toArray();
        calls.add(List.of(ArrayValue.ofDoubles(prim, numbers)));
      }
      Compare.each(program, calls);
    }
  }

  private static int count(String text, String word) {
    return text.split(word, -1).length - 1;
  }
}
