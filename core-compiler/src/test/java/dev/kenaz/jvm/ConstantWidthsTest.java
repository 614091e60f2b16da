package dev.kenaz.jvm;

import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops whose number of iterations is constant: some are a few vectors one after the other. */
final class ConstantWidthsTest {
  private static final int[] WIDTHS = {4, 8, 12, 16, 20, 24, 32, 40, 48, 64};

  @ParameterizedTest
  @ValueSource(
      strings = {
        "map T.sum xs",
        "map T.maximum xs",
        "map (\\x -> T.sum (map2 (*) x (reverse x))) xs",
        "map (\\x -> T.sum x * T.minimum x) xs",
        "map (\\x -> T.i64 (i64.sum (map (\\y -> if y > 2 then 1 else 0) x))) xs",
        "map (\\x -> (map (+ T.sum x) x)[W - 1]) xs",
        "map (\\x -> T.sum (map2 (\\y i -> y * T.i64 i) x (iota W))) xs",
      })
  void rows(String body) {
    for (var prim : List.of(Prim.F32, Prim.F64, Prim.I32, Prim.I64)) {
      for (int width : WIDTHS) {
        var text = "entry main [n] (xs: [n][W]T): [n]T = " + body;
        var own = text.replace("W", Integer.toString(width)).replace("T", prim.text());
        var calls = new ArrayList<List<Value>>();
        for (int n : new int[] {0, 1, 5}) {
          var numbers = IntStream.range(0, n * width).mapToDouble(i -> i * 7 % 11 - 3).toArray();
          calls.add(List.of(ArrayValue.ofDoubles(prim, numbers).reshape(n, width)));
        }
        Compare.each(Optimised.text(own), calls);
      }
    }
  }
}
