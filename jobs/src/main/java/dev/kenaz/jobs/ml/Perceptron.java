package dev.kenaz.jobs.ml;

import dev.kenaz.jobs.ml.DatasetTraining.Fitted;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The program of a network of layers that are connected in full: sigmoid functions after each but
 * the last, whose outputs are scores of classes. A program has a type for each layer, so there is
 * one for each depth; sizes are hyperparameters.
 *
 * @param sizes of the input, of the layers between, and of the output
 */
public record Perceptron(List<Integer> sizes) {
  /** Returns how many layers have weights. */
  private int depth() {
    return sizes.size() - 1;
  }

  private String each(String between, IntFunction<String> text) {
    return IntStream.rangeClosed(1, depth()).mapToObj(text).collect(Collectors.joining(between));
  }

  /** Returns where the weights of a layer are in the list of all. */
  private int from(int layer) {
    return IntStream.range(1, layer).map(i -> (sizes.get(i - 1) + 1) * sizes.get(i)).sum();
  }

  /** Returns how many weights there are. */
  public int weights() {
    return from(depth() + 1);
  }

  String name() {
    return "perceptron-" + depth();
  }

  /** Returns the program. */
  String text() {
    var dimensions = " [d0]" + each("", i -> " [d" + i + "]");
    return """
        open import "perceptron"

        type model%s =
          {%s}

        def init [n] [p] [d0] (x: [n][d0]f64) (start: [p]f64) (seed: i64) %s
          : model%s =
          {%s}

        def loss [n]%s (m: model%s) (x: [n][d0]f64) (y: [n]f64) : f64 =
          f64.sum (map2 (\\x y -> surprise (%s) y) x y) / f64.i64 n
        """
        .formatted(
            dimensions,
            each(", ", i -> "w%d: [d%d][d%d]f64, b%d: [d%d]f64".formatted(i, i, i - 1, i, i)),
            each(" ", i -> "(d%d: i64) (at%d: i64)".formatted(i, i)),
            dimensions,
            each(", ", Perceptron::start),
            dimensions,
            dimensions,
            each(" |> map sigmoid |> ", i -> "layer m.w%d m.b%d".formatted(i, i))
                .replaceFirst("layer", "x |> layer"));
  }

  private static String start(int i) {
    return """
        w%1$d = start_weights start at%1$d seed d%2$d d%1$d,
           b%1$d = start_bias start (at%1$d + d%2$d * d%1$d) d%1$d"""
        .formatted(i, i - 1);
  }

  /**
   * Returns the training over rows with the columns x and y.
   *
   * @param start the first weights, in the order of MLlib's; none if they are chosen by the seed
   */
  public DatasetTraining training(double[] start, long seed, int iterations, double tolerance) {
    EstimatorPrograms.add(name(), text());
    var training = DatasetTraining.of(name(), "x", "y").with("start", start).with("seed", seed);
    for (int i = 1; i <= depth(); i++) {
      training.with("d" + i, sizes.get(i)).with("at" + i, from(i));
    }
    training.job().put("iterations", iterations).put("tolerance", tolerance);
    training.job().putObject("optimiser").put("name", "l-bfgs");
    return training;
  }

  /** Returns all weights, in the order of MLlib's: of each layer by columns, then its biases. */
  public double[] weights(Fitted fitted) {
    var all = new double[weights()];
    for (int layer = 1; layer <= depth(); layer++) {
      var weights = fitted.array("w" + layer);
      var bias = fitted.array("b" + layer);
      int width = sizes.get(layer - 1);
      for (int i = 0; i < weights.length; i++) {
        all[from(layer) + i / width + i % width * bias.length] = weights[i];
      }
      System.arraycopy(bias, 0, all, from(layer) + weights.length, bias.length);
    }
    return all;
  }
}
