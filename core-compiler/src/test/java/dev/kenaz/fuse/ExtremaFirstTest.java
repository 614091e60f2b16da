package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Extrema of histograms are found before the elements that they are. */
final class ExtremaFirstTest {
  /** The operator as derivatives have it, on bins that hold something before. */
  private static final String PAIRS =
      """
      def least (a: f64, i: i64) (b: f64, j: i64) =
        let t = f64.OP a b in (t, if t == b then (if t == a then i64.min i j else j) else i)
      entry main [n] [k] (ys: [k]f64) (js: [k]i64) (is: [n]i64) (xs: [n]f64): ([k]f64, [k]i64) =
        unzip (reduce_by_index (copy (zip ys js)) least (NEUTRAL, i64.highest) is
                               (zip (FUNCTION xs) (iota n)))
      """;

  private static CoreProgram divided(CoreProgram program) {
    var divided = ExtremaFirst.run(program);
    Verifier.verify(divided, "extrema-first");
    return divided;
  }

  private static long pairs(CoreProgram program) {
    return Pattern.compile("into \\(\\w+, \\w+\\)")
        .matcher(Printer.print(program))
        .results()
        .count();
  }

  private static Value numbers(Random random, int n) {
    var some = new double[] {-1, 0, -0.0, 1, Double.NaN, 1 / 0.0, -1 / 0.0};
    var all = random.ints(n, 0, some.length).mapToDouble(i -> some[i]).toArray();
    return ArrayValue.ofDoubles(all, n);
  }

  private static Value integers(Random random, int n, int least, int end) {
    return ArrayValue.ofLongs(random.longs(n, least, end).toArray(), n);
  }

  private static void same(CoreProgram program, CoreProgram divided) {
    var random = new Random(1);
    for (int n : new int[] {0, 1, 7, 100}) {
      for (int k : new int[] {0, 1, 5, 60}) {
        var arguments =
            List.of(
                numbers(random, k),
                integers(random, k, -2, 120),
                integers(random, n, -1, k + 1),
                numbers(random, n));
        Agreement.interpreted(program, divided, arguments);
        Agreement.simulated(program, program, arguments, n + k);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"min", "max"})
  void extremaAreFoundFirst(String op) {
    var text =
        PAIRS.replace("OP", op).replace("NEUTRAL", op.equals("min") ? "f64.inf" : "-f64.inf");
    for (var function : List.of("", "map (* 2)", "map (\\x -> f64.min x 0 + 1)")) {
      var program = Optimised.text(text.replace("FUNCTION", function));
      var divided = divided(program);
      assertEquals(1, pairs(program), Printer.print(program));
      assertEquals(0, pairs(divided), Printer.print(divided));
      same(program, divided);
    }
  }

  /** What takes long is not done twice. */
  @Test
  void elementsThatTakeLongAreNotComputedTwice() {
    var sum = "map (\\x -> loop s = x for _i < n do s * s + 1)";
    var text = PAIRS.replace("OP", "min").replace("NEUTRAL", "f64.inf").replace("FUNCTION", sum);
    var program = Optimised.text(text);
    assertEquals(pairs(program), pairs(divided(program)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vjp (\\xs -> hist f64.min f64.inf k is xs) xs (replicate k 1)",
        "vjp (\\xs -> hist f64.max (-f64.inf) k is (map (* 3) xs)) xs (map f64.i64 (iota k))",
        "let f xs = hist f64.min f64.inf k is xs in map2 (+) (vjp f xs (replicate k 1))"
            + " (vjp (\\xs -> reduce_by_index (replicate k 0.5) f64.max (-f64.inf) is xs) xs"
            + " (replicate k 2))"
      })
  void derivativesAreTheSame(String body) {
    var text = "entry main [n] (k: i64) (is: [n]i64) (xs: [n]f64): [n]f64 = " + body;
    var program = Optimised.text(text);
    var divided = divided(program);
    assertTrue(pairs(program) > 0, Printer.print(program));
    assertEquals(0, pairs(divided), Printer.print(divided));
    var random = new Random(2);
    for (int n : new int[] {0, 1, 40}) {
      for (int k : new int[] {1, 4, 100}) {
        var arguments = new ArrayList<Value>();
        arguments.add(ScalarValue.i64(k));
        arguments.add(integers(random, n, -1, k + 1));
        arguments.add(numbers(random, n));
        Agreement.interpreted(program, divided, arguments);
        Agreement.simulated(program, program, arguments, n + k);
      }
    }
  }
}
