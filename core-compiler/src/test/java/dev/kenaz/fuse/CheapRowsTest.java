package dev.kenaz.fuse;

import static dev.kenaz.fuse.Agreement.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.simplify.Simplify;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that nested operators make of rows of smaller arrays are computed where they are read. */
final class CheapRowsTest {
  /** For each point and each centre, something of their difference that needs it twice. */
  private static final String DIFFERENCES =
      """
      def of [d] (l: [d][d]f64) (c: [d]f64) =
        f64.sum (map2 (\\row y -> y * f64.sum (map2 (*) row c)) l c)
      entry main [n][k][d] (l: [d][d]f64) (xs: [n][d]f64) (ms: [k][d]f64) =
        map (\\x -> map (\\m -> let c = map2 (-) x m in BODY) ms) xs
      """;

  private static CoreProgram cheap(CoreProgram program) {
    var cheap = CheapRows.run(program);
    Verifier.verify(cheap, "cheap-rows");
    return Simplify.SIMPLIFY.apply(cheap);
  }

  private static void same(CoreProgram program, CoreProgram cheap) {
    for (int n : new int[] {0, 1, 3}) {
      for (int d : new int[] {0, 1, 4}) {
        var arguments = List.of(numbers(d, d), numbers(n, d), numbers(2, d));
        Agreement.interpreted(program, cheap, arguments);
        Agreement.simulated(program, program, arguments, n + d);
      }
    }
  }

  /** Counts the rows named c that are made. */
  private static long rows(CoreProgram program) {
    return Pattern.compile("\\bc_\\d+: \\[").matcher(Printer.print(program)).results().count();
  }

  private static CoreProgram program(String body) {
    return Optimised.text(DIFFERENCES.replace("BODY", body));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "of l c",
        // Elements are read one by one, too.
        "loop s = of l c for i < d do s * 0.5 + c[i]",
        // The row is read by operators that do other things besides.
        "(of l c, f64.maximum c, f64.sum (scan (+) 0 c))",
        // A row is made of the first one.
        "let e = map2 (*) c m in of l c + of l e + f64.sum (map2 (*) c e)"
      })
  void rowsAreComputedWhereTheyAreRead(String body) {
    var program = program(body);
    var cheap = cheap(program);
    assertTrue(rows(program) > 0, Printer.print(program));
    assertEquals(0, rows(cheap), Printer.print(cheap));
    same(program, cheap);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The row is a result.
        "(of l c, c)",
        // It is overwritten.
        "let s = of l c in s + of l (c with [d - 1] = 2)",
        // It is read at a place that may be outside.
        "of l c + c[i64.f64 m[0]]",
        // It isn't cheap.
        "let c = map f64.sin c in of l c + f64.maximum c",
      })
  void othersStay(String body) {
    var program = program(body.replace("d - 1", "0"));
    var cheap = cheap(program);
    assertTrue(rows(program) > 0, Printer.print(program));
    assertEquals(rows(program), rows(cheap), Printer.print(cheap));
  }

  /** What a row is made of is overwritten after the row was made. */
  @Test
  void inputsThatAreOverwritten() {
    var program =
        program(
            "let y = copy x let c = map2 (-) y m let s = of l c "
                + "let y = loop y for i < d do y with [i] = s + f64.i64 i in of l y + of l c");
    same(program, cheap(program));
  }

  /** Of two results of an operator one is a cheap function of the other. */
  @Test
  void resultsThatFollowFromOthers() {
    var program =
        program(
            """
            let (e, g) = unzip (map2 (\\a b -> let t = f64.sin a * b in (t, t * b)) x m)
            let s = of l e
            in of l c + s + f64.sum g * of l (map (+ s) g)
            """);
    same(program, cheap(program));
  }
}
