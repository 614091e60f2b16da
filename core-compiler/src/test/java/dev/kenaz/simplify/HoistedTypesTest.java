package dev.kenaz.simplify;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.Printer;
import dev.kenaz.pipeline.Optimised;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is computed before an assertion has a type that holds there, too. */
final class HoistedTypesTest {
  @Test
  void transposedBeforeTheSizesAreKnownToBeEqual() {
    var program =
        Optimised.verified(
            """
            entry main [n] [m] (k: i64) (xs: [n][m]f64) (ys: [2]f64): [m]f64 =
              loop acc = replicate m 1 for i < k do
                let zs = xs :> [2][m]f64
                let t = transpose xs
                in map3 (\\a r i -> a + f64.sum r + f64.sum (map2 (*) ys zs[:, i])) acc t (iota m)
            """);
    var type = Pattern.compile("t_\\d+: \\[m_\\d+]\\[n_\\d+]f64 = rearrange \\[1, 0]");
    var text = Printer.print(program);
    assertTrue(type.matcher(text).find(), text);
    assertTrue(text.indexOf("rearrange") < text.indexOf("loop"), text);
  }
}
