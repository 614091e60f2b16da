package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.loopir.Expr;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scans of tuples compute if only some parts of their results are used. */
final class WantedPartsTest {
  private static final String OPERATORS =
      """
      -- | Composition of x -> b + c x.
      def linear (b1: f64, c1: f64) (b2: f64, c2: f64) = (b2 + c2 * b1, c1 * c2)
      -- | The sum of the products of all pairs, and the sum.
      def pairs (p1: f64, s1: f64) (p2: f64, s2: f64) = (p1 + p2 + s1 * s2, s1 + s2)
      -- | The same beside something that nothing else depends on, and that depends on all.
      def three (p1: f64, s1: f64, q1: f64) (p2: f64, s2: f64, q2: f64) =
        (p1 + p2 + s1 * s2, s1 + s2, q1 + q2 + s1 * p2 + p1 * s2 + s1 * s2 * (s1 + s2))
      def rows [d] (b1: [d]f64, c1: [d]f64) (b2: [d]f64, c2: [d]f64) =
        (map3 (\\b1 b2 c2 -> b2 + c2 * b1) b1 b2 c2, map2 (*) c1 c2)
      """;

  /** How many elements a scan over all data stores, in one chunk and in each of several. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          1; 2; map (.0) (scan linear (0, 1) (zip xs ys))
          1; 2; map (.0) (scan pairs (0, 0) (zip xs ys))
          1; 2; let (a, b) = unzip (scan linear (0, 1) (zip xs ys)) in a with [0] = length b |> f64.i64
          2; 3; map (\\(p, _, q) -> p * q) (scan three (0, 0, 0) (zip3 xs ys xs)) |> map2 (+) xs
          """)
  void outermost(int one, int several, String body) {
    var text = OPERATORS + "entry main [n] (xs: [n]f64) (ys: [n]f64) = " + body;
    assertEquals(List.of(several, one), stores(text), text);
    Compare.each(
        Optimised.verified(text),
        Stream.of(0, 1, 2, 100, 1000).map(n -> List.of(numbers(n), numbers(n))).toList());
  }

  /** Returns how many stores there are in the loops of both branches of the choice. */
  private static List<Integer> stores(String text) {
    var found = new int[2];
    for (var f : Pipelines.loops(1).apply(Optimised.text(text)).functions()) {
      CodeWalk.code(
          f.body(),
          c -> {
            if (c instanceof Code.If i
                && i.otherwise().stream().findFirst().orElse(null) instanceof Code.Parallel p) {
              found[0] = first(i.then());
              found[1] = first(List.of(p));
            }
          },
          _ -> {});
    }
    return List.of(found[0], found[1]);
  }

  /** Returns how many stores the first loop has that goes from element to element to the end. */
  private static int first(List<Code> code) {
    var counts = new ArrayList<Integer>();
    CodeWalk.code(
        code,
        c -> {
          if (c instanceof Code.For f
              && !f.independent()
              && !(f.bound() instanceof Expr.Lit)
              && !CodeWalk.has(f.body(), Code.For.class)) {
            counts.add((int) f.body().stream().filter(s -> s instanceof Code.Store).count());
          }
        },
        _ -> {});
    return counts.getFirst();
  }

  /** How many statements a loop has for a scan or reduction in the rows of a map. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          6; map2 (\\xs ys -> scan linear (0, 1) (zip xs ys) |> map (.0) |> reverse |> copy) xss yss
          5; map2 (\\xs ys -> (reduce linear (0, 1) (zip xs ys)).0) xss yss
          """)
  void insideOfAMap(int statements, String body) {
    var text = OPERATORS + "entry main [k][n] (xss: [k][n]f64) (yss: [k][n]f64) = " + body;
    assertEquals(statements, statements(text), text);
    Compare.each(
        Optimised.verified(text),
        List.of(
            List.of(numbers(3, 40), numbers(3, 40)),
            List.of(numbers(0, 4), numbers(0, 4)),
            List.of(numbers(300, 0), numbers(300, 0)),
            List.of(numbers(300, 5), numbers(300, 5))));
  }

  /** Returns how long the first loop is whose iterations depend on each other. */
  private static int statements(String text) {
    var found = new ArrayList<Integer>();
    for (var f : Pipelines.loops(1).apply(Optimised.text(text)).functions()) {
      CodeWalk.code(
          f.body(),
          c -> {
            if (c instanceof Code.For l && !l.independent()) {
              found.add(l.body().size());
            }
          },
          _ -> {});
    }
    return found.getFirst();
  }

  @Test
  void rowsOfSeveralElements() {
    var text =
        OPERATORS
            + "entry main [n][d] (xs: [n][d]f64) (ys: [n][d]f64) ="
            + " (scan rows (replicate d 0, replicate d 1) (zip xs ys)) |> map (.0)";
    Compare.each(
        Optimised.verified(text),
        List.of(
            List.of(numbers(100, 3), numbers(100, 3)),
            List.of(numbers(1, 40), numbers(1, 40)),
            List.of(numbers(0, 2), numbers(0, 2)),
            List.of(numbers(5, 0), numbers(5, 0))));
  }

  /** What an operator checks is checked, whether its result is wanted or not. */
  @Test
  void checks() {
    var text =
        """
        entry main [n] (xs: [n]f64) (is: [n]i64) =
          let op (a, i) (b, j) =
            let k = i64.max i j
            in (a + b, i64.f64 (xs[k] * 0) + k)
          in map (.0) (scan op (0, 0) (zip xs is))
        """;
    var program = Optimised.verified(text);
    Compare.same(program, numbers(3), ArrayValue.ofLongs(new long[] {0, 1, 2}));
    Compare.same(program, numbers(3), ArrayValue.ofLongs(new long[] {0, 3, 2}));
  }

  @Test
  void derivativesOfScans() {
    var text =
        OPERATORS
            + """
            entry main [n] (xs: [n]f64) (ys: [n]f64) =
              let f (xs, ys) = unzip (scan pairs (0, 0) (zip xs ys))
              in vjp2 f (xs, ys) (reverse ys, reverse xs)
            """;
    Compare.each(
        Optimised.verified(text),
        List.of(
            List.of(numbers(1000), numbers(1000)),
            List.of(numbers(1), numbers(1)),
            List.of(numbers(0), numbers(0))));
  }

  private static Value numbers(long... shape) {
    long n = Arrays.stream(shape).reduce(1, (x, y) -> x * y);
    return ArrayValue.ofDoubles(new Random(n).doubles(n, -0.9, 0.9).toArray(), shape);
  }
}
