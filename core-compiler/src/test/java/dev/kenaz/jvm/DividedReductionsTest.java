package dev.kenaz.jvm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.loopir.Code;
import dev.kenaz.loopir.CodeWalk;
import dev.kenaz.pipeline.Optimised;
import dev.kenaz.pipeline.Pipelines;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Reductions around matrix products, which also add to accumulators, are divided into the products
 * and what is left: as in the last layer of a network, whose error and gradient are computed in one
 * pass.
 */
final class DividedReductionsTest {
  private static final String LAYER =
      """
      def dot xs ys = f64.sum (map2 (*) xs ys)
      def rows a b = map (\\x -> map (dot x) b) a
      def distance ys zs =
        f64.sum (map2 (\\y z -> f64.sum (map2 (\\a b -> (a - b) * (a - b)) y z)) ys zs)
      def loss outs targets w bias =
        f64.sum (map2 (\\o t -> distance (map (map2 (+) bias) (rows o w)) t) outs targets)
      entry main [n][b][h][d]
          (outs: [n][b][h]f64) (targets: [n][b][d]f64) (w: [d][h]f64) (bias: [d]f64) =
      """;

  private static final String GRADIENT =
      LAYER + "vjp2 (\\(outs, w, bias) -> loss outs targets w bias) (outs, w, bias) 1";

  @Test
  void theErrorAndAllGradientsOfALayer() {
    products(3, GRADIENT);
    same(GRADIENT);
  }

  /** The same where the product is in the innermost reduction. */
  @Test
  void aProductInTheReduction() {
    var text =
        GRADIENT.replace(
            "distance (map (map2 (+) bias) (rows o w)) t",
            "f64.sum (map2 (\\x t -> f64.sum (map3 (\\w b t -> let e = b + dot x w - t in e * e)"
                + " w bias t)) o t)");
    products(3, text);
    same(text);
  }

  @Test
  void theErrorAndTheGradientOfTheWeights() {
    var text = LAYER + "vjp2 (\\w -> loss outs targets w bias) w 1";
    products(2, text);
    same(text);
  }

  @Test
  void theErrorAndTheGradientOfTheBias() {
    var text = LAYER + "vjp2 (\\bias -> loss outs targets w bias) bias 1";
    products(1, text);
    same(text);
  }

  @Test
  void theErrorAndTheGradientsOfAllButTheWeights() {
    var text = LAYER + "vjp2 (\\(outs, bias) -> loss outs targets w bias) (outs, bias) 1";
    products(2, text);
    same(text);
  }

  /** A scan of what each row has been found to have, beside an accumulator of its products. */
  @Test
  void aScanBesideAnAccumulator() {
    same(
        LAYER
            + "let f w = map2 (\\out target -> scan (+) 0 (map2 (\\o t -> f64.sum (map2 (\\w t ->"
            + " let e = dot o w - t in e * e) w t)) out target)) outs targets"
            + " in vjp2 f w (replicate n (replicate b 1))");
  }

  private static void same(String text) {
    var program = Optimised.verified(text);
    Compare.each(
        program,
        List.of(
            arguments(2, 40, 20, 30),
            arguments(3, 5, 4, 7),
            arguments(1, 1, 1, 1),
            arguments(0, 3, 2, 2),
            arguments(2, 0, 2, 2),
            arguments(2, 3, 0, 2),
            arguments(2, 3, 2, 0)));
  }

  private static List<Value> arguments(int n, int b, int h, int d) {
    return List.of(numbers(n, b, h), numbers(n, b, d), numbers(d, h), numbers(d));
  }

  private static Value numbers(long... shape) {
    long n = Arrays.stream(shape).reduce(1, (x, y) -> x * y);
    return ArrayValue.ofDoubles(new Random(n).doubles(n, -0.5, 0.5).toArray(), shape);
  }

  /** Products are computed by the method for them, where nothing else is parallel. */
  private static void products(int least, String text) {
    var n = new int[1];
    for (var f : Pipelines.loops(1).apply(Optimised.text(text)).functions()) {
      CodeWalk.code(f.body(), c -> n[0] += c instanceof Code.MatrixProduct ? 1 : 0, _ -> {});
    }
    assertTrue(n[0] >= least, text + ": " + n[0]);
  }
}
