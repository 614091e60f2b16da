package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sums that are only added up are one sum. */
final class JoinedSumsTest {
  private static CoreProgram joined(CoreProgram program) {
    var joined = JoinedSums.run(program);
    Verifier.verify(joined, "joined-sums");
    return joined;
  }

  private static int sums(CoreProgram program) {
    return Printer.print(program).split("reduce_comm", -1).length - 1;
  }

  private static void same(CoreProgram program, CoreProgram joined) {
    for (int n : new int[] {0, 1, 5}) {
      var xs = new double[n];
      for (int i = 0; i < n; i++) {
        xs[i] = i * i - 1.5;
      }
      Agreement.interpreted(program, joined, List.of(ArrayValue.ofDoubles(xs, n)));
    }
  }

  @Test
  void fourSumsAreOne() {
    var program =
        Optimised.text(
            """
            entry main [n] (xs: [n]f64) =
              let sum f = f64.sum (map f xs)
              in sum (* 2) + sum (\\x -> x * x) + (sum f64.sin + sum f64.cos)
            """);
    var joined = joined(program);
    assertEquals(4, sums(program), Printer.print(program));
    assertEquals(1, sums(joined), Printer.print(joined));
    same(program, joined);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // One of them is a result, too.
        "let s = f64.sum xs let t = f64.sum (map (* 2) xs) in (s + t, s)",
        // They are multiplied.
        "f64.sum xs * f64.sum (map (* 2) xs)",
        // The one is no sum.
        "f64.sum xs + f64.maximum xs",
        // The same sum twice.
        "let s = f64.sum xs let t = f64.maximum xs in (s + s, t)",
        // They don't begin with zero.
        "reduce (+) 1 xs + reduce (+) 2 (map (* 2) xs)"
      })
  void othersStay(String body) {
    var program = Optimised.text("entry main [n] (xs: [n]f64) = " + body);
    assertEquals(Printer.print(program), Printer.print(joined(program)));
  }

  @Test
  void beside() {
    var program =
        Optimised.text(
            """
            entry main [n] (xs: [n]f64) =
              let ys = map (+ 1) xs
              let (s, m, t) = (f64.sum ys, f64.maximum ys, f64.sum (map (\\y -> y * y) ys))
              in (ys, m, s + t, scan (+) 0 ys)
            """);
    var joined = joined(program);
    assertEquals(sums(program) - 1, sums(joined), Printer.print(joined));
    same(program, joined);
  }
}
