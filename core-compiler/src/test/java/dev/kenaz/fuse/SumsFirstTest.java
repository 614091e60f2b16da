package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a short operator adds to one place is added up first. */
final class SumsFirstTest {
  private static int updates(String text) {
    return text.split("update_acc", -1).length - 1;
  }

  /** Of the updates of two accumulators, one is at the same place in all five iterations. */
  @Test
  void anUpdateAtTheSamePlaceIsDoneOnce() {
    var program =
        Optimised.text(
            """
            entry main [n][m] (is: [n]i64) (js: [n]i64) (xs: [m][5]f64) (ws: [m]f64) (ys: [n]f64) =
              vjp (\\(xs, ws) ->
                     map2 (\\i j -> f64.sum (map (\\k -> f64.sin xs[i, (k * j) % 5] * ws[i]) (iota 5)))
                          is js)
                  (xs, ws) ys
            """);
    var less = SumsFirst.run(program);
    Verifier.verify(less, "sums-first");
    var text = Printer.print(less);
    assertEquals(2, updates(Printer.print(program)), Printer.print(program));
    assertEquals(2, updates(text), text);
    int function = text.indexOf("fn (", text.indexOf("screma 5i64"));
    assertEquals(1, updates(text.substring(function, text.indexOf(" in (", function))), text);
    var arguments =
        List.<Value>of(
            ArrayValue.ofLongs(new long[] {0, 1, 1, 0}, 4),
            ArrayValue.ofLongs(new long[] {1, 2, 3, 4}, 4),
            ArrayValue.ofDoubles(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2, 5),
            ArrayValue.ofDoubles(new double[] {0.5, 2}, 2),
            ArrayValue.ofDoubles(new double[] {1, 2, 3, 4}, 4));
    assertEquals(
        Optional.empty(),
        ValueComparison.difference(
            Interpreter.call(program, "main", arguments),
            Interpreter.call(less, "main", arguments)));
  }
}
