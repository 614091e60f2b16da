package dev.kenaz.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that are partly overwritten become maps, if they stand in another map. */
final class PaddedRowsTest {
  private static CoreProgram program(String body) {
    return Optimised.text(
        "entry main [n][d] (xs: [n][d]f64) (m: i64) = map (\\(x: [d]f64) -> " + body + ") xs");
  }

  private static CoreProgram padded(CoreProgram program) {
    var padded = PaddedRows.run(program);
    Verifier.verify(padded, "padded-rows");
    return padded;
  }

  private static void same(CoreProgram program, CoreProgram padded) {
    for (int n : new int[] {0, 1, 4}) {
      for (int d : new int[] {0, 1, 7}) {
        for (long m : new long[] {-1, 0, d - 1, d, d + 1}) {
          var numbers = new Random(d).ints((long) n * d, 0, 4).asDoubleStream().toArray();
          var arguments = List.of(ArrayValue.ofDoubles(numbers, n, d), ScalarValue.i64(m));
          Agreement.interpreted(program, padded, arguments);
          Agreement.simulated(program, program, arguments, n + d);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The adjoint of the greatest element is added to others; there may be no element.
        "vjp (\\x -> let g = f64.maximum x in g + f64.sum (map (\\v -> f64.exp (v - g)) x)) x 1",
        // The place may be outside: then the row stays as it is.
        "let y = map (* 2) x in if 0 <= m && m < d then y with [m] = y[m] + 1 else y",
        // What is written is computed of another row.
        "let y = map (* 2) x in if m >= 0 && m < d then y with [m] = f64.sin x[m] else y"
      })
  void oneElement(String body) {
    var program = program(body);
    var padded = padded(program);
    assertNotEquals(Printer.print(program), Printer.print(padded));
    same(program, padded);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // In a loop each iteration would write all elements.
        "loop y = map (* 2) x for i < d do if i < m then y with [i] = y[i] + 1 else y",
        // Another row is taken otherwise.
        "let y = map (* 2) x in if 0 <= m && m < d then y with [m] = 1 else map (+ 1) x",
        // The place is found only where the condition holds.
        "let y = map (* 2) x in if 0 < d then y with [i64.f64 x[0] % d] = 1 else y"
      })
  void othersStay(String body) {
    var program = program(body);
    assertEquals(Printer.print(program), Printer.print(padded(program)));
    same(program, program);
  }
}
