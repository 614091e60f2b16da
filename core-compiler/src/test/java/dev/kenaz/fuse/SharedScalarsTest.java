package dev.kenaz.fuse;

import static dev.kenaz.fuse.Agreement.interpreted;
import static dev.kenaz.fuse.Agreement.numbers;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.ir.Printer;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.value.Value;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an accumulation and a map beside it share is computed once, before both. */
final class SharedScalarsTest {
  private static final String LAYER =
      """
      def dot xs ys = f64.sum (map2 (*) xs ys)
      def loss (outs: [][]f64) (targets: [][]f64) (w: [][]f64) (bias: []f64) =
        f64.sum (map2 (\\o t ->
          f64.sum (map3 (\\w b t -> let e = b + dot o w - t in e * e) w bias t)) outs targets)
      entry main [b][h][d]
          (outs: [b][h]f64) (targets: [b][d]f64) (w: [d][h]f64) (bias: [d]f64) =
      """;

  private static final int[][] SIZES = {
    {4, 3, 5}, {1, 1, 1}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {7, 9, 2}
  };

  private static List<Value> arguments(int b, int h, int d) {
    return List.of(numbers(b, h), numbers(b, d), numbers(d, h), numbers(d));
  }

  private static void same(String text) {
    var program = Optimised.differentiated(text);
    var fused = Optimised.verified(text);
    for (var s : SIZES) {
      interpreted(program, fused, arguments(s[0], s[1], s[2]));
    }
  }

  /** The gradient of a row's factor is no accumulation of its own. */
  @Test
  void bothFactorsOfAProduct() {
    var text = LAYER + "vjp2 (\\(outs, w, bias) -> loss outs targets w bias) (outs, w, bias) 1";
    same(text);
    var fused = Printer.print(Optimised.text(text));
    assertEquals(1, fused.split("with_acc", -1).length - 1, fused);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vjp2 (\\(outs, w) -> loss outs targets w bias) (outs, w) 1",
        "vjp2 (\\(outs, targets) -> loss outs targets w bias) (outs, targets) 1",
        // two scalars, and one that an operator uses twice
        "vjp2 (\\(outs, w) -> f64.sum (map (\\o -> f64.sum (map2 (\\w b -> f64.exp (dot o w) *"
            + " f64.sin (b + dot w o)) w bias)) outs)) (outs, w) 1",
        // three scalars, which are more than are kept
        "vjp2 (\\(outs, w) -> f64.sum (map (\\o -> f64.sum (map (\\w -> f64.exp (dot o w) * f64.sin"
            + " (dot w w) / (1 + dot o o)) w)) outs)) (outs, w) 1",
        // rows are shared, too
        "vjp2 (\\(outs, w) -> f64.sum (map (\\o -> f64.sum (map (\\w -> let r = scan (+) 0 w in dot"
            + " o r * dot r w) w)) outs)) (outs, w) 1",
        // derivatives of derivatives
        "jvp (\\outs -> vjp (\\(outs, w) -> loss outs targets w bias) (outs, w) 1) outs outs",
        // branches, and indices that are not in bounds for some sizes
        "vjp2 (\\(outs, w) -> f64.sum (map (\\o -> f64.sum (map2 (\\w b -> if b > 0 then dot o w"
            + " else b * dot w w) w bias)) outs)) (outs, w) 1",
      })
  void programs(String text) {
    same(LAYER + text);
  }

  /**
   * Of one operator the map and the accumulation need different results, so what uses it is in both
   * though the operator isn't.
   */
  @Test
  void whatNeedsTheOthersIsNotShared() {
    var text =
        """
        def dot xs ys = f64.sum (map2 (*) xs ys)
        def f [b][d] (w: [d]f64) (xs: [b][d]f64) (is: [b]i64): [b]f64 =
          let all =
            map (\\x -> (f64.exp (0.1 * dot x w), map (\\a -> f64.sum (map (* a) x)) w)) xs
          in map (\\i -> let (p, q) = all[i] in p * p + f64.sum q) is
        def gradient [b][d] (w: [d]f64) (xs: [b][d]f64) (is: [b]i64) =
          vjp (\\w -> f w xs is) w (map (\\i -> 1 + f64.i64 i) (iota b))
        entry main [b][d] (w: [d]f64) (xs: [b][d]f64) =
          vjp (\\w -> dot w (gradient w xs (iota b))) w 1
        """;
    interpreted(
        Optimised.differentiated(text),
        Optimised.verified(text),
        List.of(numbers(3), numbers(5, 3)));
  }
}
