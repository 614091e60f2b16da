package dev.kenaz.fuse;

import static dev.kenaz.fuse.Agreement.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.simplify.Simplify;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Factors that are the same for all rows leave sums over the rows. */
final class FactoredSumsTest {
  private static final CompileOptions WITHOUT =
      CompileOptions.of(Backend.JVM).without(Set.of(Fuse.FACTORED_SUMS.name()));

  /** For each row of xs, a loss of its distance to each of the k centres. */
  private static final String CENTRES =
      """
      def dot [n] (xs: [n]f64) ys = f64.sum (map2 (*) xs ys)
      def loss [k][d] (a: [k][d][d]f64) (c: [k][d]f64) (x: [d]f64) =
        f64.sum (map2 (\\a c -> let y = map2 (-) x c in LOSS) a c)
      entry main [n][k][d] (a: [k][d][d]f64) (c: [k][d]f64) (xs: [n][d]f64) =
        vjp (\\c -> f64.sum (map (loss a c) xs)) c 1
      """;

  private static CoreProgram factored(CoreProgram program) {
    var factored = FactoredSums.run(program);
    Verifier.verify(factored, "factored-sums");
    return Simplify.SIMPLIFY.apply(factored);
  }

  /** Counts the arrays of sums of factors. */
  private static long totals(CoreProgram program) {
    return Printer.print(program).split("\\btotals_\\d+: \\[", -1).length - 1;
  }

  private static void same(CoreProgram program, CoreProgram factored) {
    for (int n : new int[] {0, 1, 5}) {
      for (int d : new int[] {0, 1, 6}) {
        var arguments = List.of(numbers(3, d, d), numbers(3, d), numbers(n, d));
        Agreement.interpreted(program, factored, arguments);
        Agreement.simulated(program, factored, arguments, n + d);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "let z = map (dot y) a in dot z z",
        // The sum is a term of what is added.
        "let z = map (dot y) a in dot z z + f64.sum (map f64.sin y)",
        // Two products.
        "let z = map (dot y) a in dot z z + dot (map f64.sin z) (map (dot y) (transpose a))",
        // The factors are computed of the matrix.
        "let z = map (\\r -> f64.sum (map2 (\\u v -> f64.exp (u + 1) * v) r y)) a in dot z z"
      })
  void matrices(String loss) {
    var program = Optimised.text(CENTRES.replace("LOSS", loss), WITHOUT);
    var factored = factored(program);
    assertEquals(0, totals(program));
    assertTrue(totals(factored) > 0, Printer.print(factored));
    same(program, factored);
  }

  /** Programs over rows x, whose adjoint g goes to the same places for each of them. */
  private static CoreProgram program(String body) {
    return Optimised.text(
        """
        def dot [n] (xs: [n]f64) ys = f64.sum (map2 (*) xs ys)
        entry main [n][k][d] (a: [k][d][d]f64) (c: [k][d]f64) (xs: [n][d]f64) =
        """
            + body,
        WITHOUT);
  }

  /** The factor that varies is the row itself, and is the same for all centres. */
  @Test
  void oneFactorForAllCentres() {
    var program =
        program(
            """
              vjp (\\(c: [k][d]f64) ->
                     map (\\x -> f64.sum (map2 (\\a c -> dot x (map (dot c) a)) a c)) xs)
                  c (map (\\x -> f64.sin (f64.sum x)) xs)
            """);
    var factored = factored(program);
    assertTrue(totals(factored) > 0, Printer.print(factored));
    same(program, factored);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The matrix depends on the row.
        "vjp (\\c -> f64.sum (map (\\x -> let y = map2 (-) x c[0]"
            + " in f64.sum (map (\\r -> f64.sin (dot (map2 (*) x r) y)) a[0])) xs)) c 1",
        // There are three products by each element.
        "vjp (\\(c: [3]f64) -> f64.sum (map (\\x -> let y = map (+ x[0]) c"
            + " in f64.sum (map (\\r -> f64.sin (dot (take 3 r) y)) a[0])) xs)) (take 3 c[0]) 1",
        // The products are divided by something that depends on the row.
        "vjp (\\(c: [k][d]f64) -> f64.sum (map (\\x -> let y = map (/ x[0]) c[0]"
            + " in f64.sum (map (\\r -> f64.sin (dot r y)) a[0])) xs)) c 1"
      })
  void othersStay(String body) {
    var program = program("  " + body);
    assertEquals(Printer.print(Simplify.SIMPLIFY.apply(program)), Printer.print(factored(program)));
  }
}
