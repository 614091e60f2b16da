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

/** What a loop multiplies that doesn't depend on its iterations is multiplied before it. */
final class EarlyProductsTest {
  private static final String PRODUCTS =
      """
      def dot xs ys = f64.sum (map2 (*) xs ys)
      def rows a b = map (\\x -> map (dot x) b) a
      """;

  /** The state of b sequences; the weights are w[0], for the state, and w[1], for the input. */
  private static final String NETWORK =
      PRODUCTS
          + """
          def states [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
            loop s = replicate b (replicate h 0.1) for t < n do
              map2 (map2 (\\u v -> f64.tanh (u + v))) (rows s w[0]) (rows xs[t] w[1])
          """;

  private static final String FUNCTION =
      NETWORK + "entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) = states w xs";

  private static final String GRADIENT =
      NETWORK
          + """
          entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
            vjp2 (\\w -> states w xs) w (replicate b (replicate h 1))
          """;

  private static List<Value> network(long n, long b, long h) {
    return List.of(numbers(2, h, h), numbers(n, b, h));
  }

  private static CoreProgram early(CoreProgram program, long most) {
    var early = EarlyProducts.run(program, most);
    Verifier.verify(early, "early-products");
    return early;
  }

  private static int count(CoreProgram program, String word) {
    return Printer.print(program).split(word, -1).length - 1;
  }

  /** Compares where there is room for all products, and where there is none. */
  private static void agree(CoreProgram program, List<Value> arguments) {
    interpreted(program, early(program, Long.MAX_VALUE), arguments);
    interpreted(program, early(program, -1), arguments);
  }

  @ParameterizedTest
  @ValueSource(strings = {FUNCTION, GRADIENT})
  void inputsOfARecurrentNetworkAreMultipliedBeforeTheLoop(String text) {
    var program = Optimised.differentiated(text);
    var early = early(program, Long.MAX_VALUE);
    assertEquals(count(program, "reshape") + 2, count(early, "reshape"));
    for (int n : new int[] {0, 1, 2, 5}) {
      agree(program, network(n, 3, 8));
    }
    agree(program, network(3, 0, 8));
    agree(program, network(3, 2, 0));
  }

  /** The array that keeps the products of all steps is the array of products. */
  @Test
  void whatALoopOnlyFillsIsMadeBefore() {
    var program = Optimised.differentiated(GRADIENT);
    var early = early(program, Long.MAX_VALUE);
    var text = Printer.print(early);
    var then = text.substring(text.indexOf("if "), text.indexOf("else"));
    int all = Printer.print(program).split(" with \\[", -1).length;
    assertNotEquals(all, then.split(" with \\[", -1).length);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7})
  void onAGpu(int n) {
    var options = CompileOptions.of(Backend.SIMULATE).verified();
    for (var text : List.of(FUNCTION, GRADIENT)) {
      try (var compiled = Compiler.compile("network.fut", text, options)) {
        var arguments = network(n, 9, 17);
        assertEquals(
            Optional.empty(),
            ValueComparison.difference(
                Interpreter.call(Optimised.differentiated(text), "main", arguments),
                compiled.entry("main").call(arguments)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // one sequence: the rows are the weights', so that the nest gets deeper
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate h 0.1 for t < n do
            map2 (+) (map (dot s) w[0]) (map (\\v -> dot v (map f64.sum xs[t] ++ w[0, 0])[:h]) w[1])
        """,
        // the step's number counts itself
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate b (replicate h 0.1) for t < n do
            map2 (map2 (\\u v -> u / 2 + v)) s (rows (map (map (* f64.i64 t)) xs[t]) w[1])
        """,
        // a loop in a loop and in a branch, and a bound that may be negative
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          if b < 1 then xs else
          loop s = copy xs for i < 2 do
            loop s for t < n - 2 do
              s with [t] = map2 (map2 (+)) s[t] (rows xs[(t + i) % n] w[i])
        """,
        // the product is overwritten in place
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate h 0.1 for t < n do
            let p = rows xs[t] w[1]
            let p = if b > 0 && h > 0 then p with [0, 0] = s[0] else p
            in map2 (+) s (map (\\q -> f64.sum (map (\\x -> x * q) s)) (flatten p ++ s)[:h])
        """,
        // the product is the next iteration's state, which is overwritten there
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate b (replicate h 0.1) for t < n do
            let s = if b > 0 && h > 0 then s with [0, 0] = 3 else s
            in if t % 2 == 0 then s else rows xs[t] w[1]
        """,
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop (s, q) = (replicate b (replicate h 0.1), 0) for t < n do
            let s = if b > 0 && h > 0 then s with [0, 0] = 3 else s
            in (rows xs[t] w[1], q + f64.sum (flatten s))
        """,
        // two arrays are filled with the same products
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          let rep = replicate n (replicate b (replicate h 0f64))
          let (u, v, s) =
            loop (u, v, s) = (copy rep, copy rep, 0) for t < n do
              let p = rows xs[t] w[1]
              in (u with [t] = p, v with [t] = p, s + f64.sum (flatten p))
          let u = if n > 0 && b > 0 && h > 0 then u with [0, 0, 0] = 3 else u
          in (u, v, s)
        """,
        // the array that is filled is read, too
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop u = copy xs for t < n do
            let p = rows xs[t] w[1]
            in u with [t] = map2 (map2 (+)) p u[n - 1 - t]
        """,
        // one product needs another
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate b (replicate h 0.1) for t < n do
            map2 (map2 (-)) (rows (rows xs[t] w[0]) w[1]) s
        """
      })
  void otherLoops(String text) {
    var program = Optimised.differentiated(PRODUCTS + text);
    for (var sizes : List.of(List.of(4L, 3L, 8L), List.of(1L, 1L, 9L), List.of(0L, 2L, 8L))) {
      agree(program, network(sizes.get(0), sizes.get(1), sizes.get(2)));
    }
  }

  /** An iteration may stop the program before it gets to the product, or in it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate b (replicate h 0.1) for t < n do
            map2 (map2 (+)) s (rows xs[t / (t - t)] w[1])
        """,
        """
        entry main [n][b][h] (w: [2][h][h]f64) (xs: [n][b][h]f64) =
          loop s = replicate b (replicate h 0.1) for t < n do
            map2 (map2 (+)) s (rows (map (\\x -> map (\\i -> x[i + t]) (iota h)) xs[t]) w[1])
        """
      })
  void whatMayFailStays(String text) {
    var program = Optimised.differentiated(PRODUCTS + text);
    assertEquals(Printer.print(program), Printer.print(early(program, Long.MAX_VALUE)));
  }
}
