package dev.kenaz.fuse;

import static dev.kenaz.fuse.Agreement.interpreted;
import static dev.kenaz.fuse.Agreement.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.kenaz.interpret.Interpreter;
import dev.kenaz.ir.CoreProgram;
import dev.kenaz.ir.Printer;
import dev.kenaz.ir.Verifier;
import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.Value;
import dev.kenaz.value.ValueComparison;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What iterations add to an array is added up after the loop. */
final class LateSumsTest {
  /** The state of b sequences; the weights are w[0], for the state, and w[1], for the input. */
  private static final String NETWORK =
      """
      def dot xs ys = f64.sum (map2 (*) xs ys)
      def rows a b = map (\\x -> map (dot x) b) a
      def states [n][b][h] (w: [2][h][h]f64) (bias: [h]f64) (xs: [n][b][h]f64) =
        loop s = replicate b (replicate h 0.1) for t < n do
          map2 (map3 (\\c u v -> f64.tanh (c + u + v)) bias) (rows s w[0]) (rows xs[t] w[1])
      entry main [n][b][h] (w: [2][h][h]f64) (bias: [h]f64) (xs: [n][b][h]f64) =
        vjp2 (\\(w, bias) -> states w bias xs) (w, bias) (replicate b (replicate h 1))
      """;

  private static List<Value> network(int n, int b, int h) {
    return List.of(numbers(2, h, h), numbers(h), numbers(n, b, h));
  }

  private static CoreProgram late(CoreProgram program) {
    var late = LateSums.run(program);
    Verifier.verify(late, "late-sums");
    return late;
  }

  /** Returns the last loop's text. */
  private static String loop(CoreProgram program) {
    var text = Printer.print(program);
    int from = text.lastIndexOf("    loop\n");
    return text.substring(from, text.indexOf("\n      in (", from));
  }

  @Test
  void weightsOfARecurrentNetworkAreAddedUpAfterTheLoop() {
    var program = Optimised.text(NETWORK);
    var late = late(program);
    assertEquals(3, loop(program).split("with_acc", -1).length - 1, loop(program));
    assertEquals(0, loop(late).split("with_acc", -1).length - 1, loop(late));
    for (int n : new int[] {0, 1, 2, 5}) {
      interpreted(program, late, network(n, 3, 4));
    }
    interpreted(program, late, network(3, 0, 4));
    interpreted(program, late, network(3, 2, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void onAGpu(int n) {
    var program = Optimised.text(NETWORK);
    var arguments = network(n, 9, 17);
    Agreement.simulated(program, program, arguments, n);
  }

  @Test
  void onTheJvm() {
    var program = Optimised.text(NETWORK);
    var options = CompileOptions.of(Backend.JVM).verified();
    try (var compiled = Compiler.compile("network.fut", NETWORK, options)) {
      for (int n : new int[] {0, 1, 2, 7}) {
        var arguments = network(n, 9, 17);
        assertEquals(
            Optional.empty(),
            ValueComparison.difference(
                Interpreter.call(program, "main", arguments),
                compiled.entry("main").call(arguments)));
      }
    }
  }

  /** Two iterations' sums are added to both of the rows, in either direction of time. */
  @Test
  void aLoopInASecondDirection() {
    var program =
        Optimised.text(
            NETWORK.replace(
                "(w, bias) -> states w bias xs",
                "(w, bias) -> states w bias xs |> map2 (map2 (+)) (states w bias (reverse xs))"));
    var late = late(program);
    assertNotEquals(Printer.print(program), Printer.print(late));
    interpreted(program, late, network(4, 3, 2));
  }

  /** An array that is the same in all iterations is no row of one of them, whatever its shape. */
  @Test
  void anArrayFromOutsideIsNotTakenForARow() {
    var program =
        Optimised.text(
            NETWORK
                .replace("(rows xs[t] w[1])", "(rows fixed w[1])")
                .replace("loop s =", "let fixed = xs[n - 1] in loop s ="));
    var late = late(program);
    for (int n : new int[] {1, 3}) {
      interpreted(program, late, network(n, 3, 4));
    }
  }

  /** What is read in the loop, or is kept in another shape than what the loop reads, stays. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // The sums themselves are the next iteration's input.
        """
        entry main [n][b][h] (w: [2][h][h]f64) (bias: [h]f64) (xs: [n][b][h]f64) =
          loop s = bias for t < n do
            map2 (+) s (vjp (\\s -> map (\\x -> f64.sum (map2 (*) s x)) xs[t]) s (map head xs[t]))
        """,
        // Nothing that the loop reads has a row for each iteration.
        """
        entry main [n][b][h] (w: [2][h][h]f64) (bias: [h]f64) (xs: [n][b][h]f64) =
          loop s = copy bias for t < n + 1 do
            map2 (+) s (vjp (\\w -> map (\\x -> f64.sum (map2 (*) w x)) (head xs)) bias (replicate b (f64.i64 t)))
        """
      })
  void whatIsReadStays(String text) {
    var program = Optimised.text("def head [n] 't (xs: [n]t) = xs[0]\n" + text);
    assertEquals(Printer.print(program), Printer.print(late(program)));
  }
}
