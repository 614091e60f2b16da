package dev.kenaz.jobs.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kenaz.options.Backend;
import dev.kenaz.options.CompileOptions;
import dev.kenaz.pipeline.Compiler;
import dev.kenaz.pipeline.ProgramSource;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mixture with a Wishart prior that comes with Kenaz has ADBench's objective. */
final class WishartModelTest {
  private static final String JUDGED =
      """

      entry judged [n] [k] [d] [c] (m: model [k] [d] [c]) (x: [n][d]f64) (gamma: f64) (freedom: i64) =
        vjp2 (\\m -> objective m x gamma freedom) m 1
      """;

  @ParameterizedTest
  @ValueSource(strings = {"gmm-test", "gmm"})
  void objectiveAndGradientAreAdBenchs(String data) {
    var in = AdBench.gmm(AdBench.resource(data));
    var source = ProgramSource.read(Path.of("../configs/models/gmm-wishart.fut"));
    var files = new HashMap<>(source.files());
    files.merge(source.root(), JUDGED, String::concat);
    var program = new ProgramSource(source.root(), files);
    try (var compiled = Compiler.open(program, CompileOptions.of(Backend.JVM))) {
      // A model's fields are in alphabetical order: alphas, icf, means.
      var arguments = List.of(in.get(0), in.get(2), in.get(1), in.get(3), in.get(4), in.get(5));
      var results = compiled.entry("judged").call(arguments);
      double expected = References.gmm(in);
      assertEquals(
          expected, ((ScalarValue) results.getFirst()).asDouble(), 1e-9 * Math.abs(expected));
      var slopes = References.gmmGradient(in);
      same(slopes[0], results.get(1));
      same(slopes[2], results.get(2));
      same(slopes[1], results.get(3));
      near(in, 0, results.get(1));
      near(in, 2, results.get(2));
      near(in, 1, results.get(3));
    }
  }

  /** Compares a gradient with that by hand. */
  private static void same(double[] expected, Value gradient) {
    double largest = DoubleStream.of(expected).map(Math::abs).max().orElseThrow();
    assertArrayEquals(expected, ((ArrayValue) gradient).toDoubleArray(), 1e-10 * largest);
  }

  /** Compares some components of a gradient with differences. */
  private static void near(List<Value> in, int argument, Value gradient) {
    var at = (ArrayValue) in.get(argument);
    var slope = ((ArrayValue) gradient).toDoubleArray();
    for (int i = 0; i < slope.length; i += 1 + slope.length / 20) {
      double h = 1e-5;
      double rise = References.gmm(moved(in, argument, at, i, h));
      double fall = References.gmm(moved(in, argument, at, i, -h));
      assertEquals((rise - fall) / (2 * h), slope[i], 1e-3 + 1e-5 * Math.abs(slope[i]));
    }
  }

  private static List<Value> moved(
      List<Value> in, int argument, ArrayValue at, int element, double by) {
    var numbers = at.toDoubleArray();
    numbers[element] += by;
    var moved = new ArrayList<>(in);
    moved.set(argument, ArrayValue.ofDoubles(numbers, at.shape()));
    return moved;
  }
}
