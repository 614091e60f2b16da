package dev.kenaz.jobs.models;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kenaz.pipeline.CompiledProgram;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The gradients of the networks, computed with double precision, against differences. */
final class NetworkJudgesTest {
  private final Random random = new Random(21);

  private ArrayValue numbers(double scale, long... shape) {
    int count = Math.toIntExact(ArrayValue.count(shape));
    return ArrayValue.ofDoubles(random.doubles(count).map(x -> scale * x).toArray(), shape);
  }

  private static ArrayValue labels(int rows, int classes) {
    return ArrayValue.ofLongs(IntStream.range(0, rows).mapToLong(i -> i % classes).toArray(), rows);
  }

  /** Goes along random directions, and compares slopes with differences of the loss. */
  private void compare(CompiledProgram program, List<Value> model, List<Value> others) {
    var arguments = new ArrayList<>(model);
    arguments.addAll(others);
    var slope = program.entry("slope").call(arguments);
    for (int trial = 0; trial < 4; trial++) {
      double h = 1e-6;
      var up = new ArrayList<Value>();
      var down = new ArrayList<Value>();
      double along = 0;
      for (int part = 0; part < model.size(); part++) {
        var at = Sample.numbers(model.get(part));
        var rise = Sample.numbers(slope.get(part));
        var above = at.clone();
        var below = at.clone();
        for (int i = 0; i < at.length; i++) {
          double direction = random.nextGaussian();
          along += direction * rise[i];
          above[i] += h * direction;
          below[i] -= h * direction;
        }
        up.add(like(model.get(part), above));
        down.add(like(model.get(part), below));
      }
      double change = Sample.loss(program, up, others) - Sample.loss(program, down, others);
      assertEquals(change / (2 * h), along, 1e-5 * Math.max(1, Math.abs(along)));
      assertTrue(Math.abs(along) > 1e-6, "the loss changes along this direction");
    }
  }

  private static Value like(Value part, double[] numbers) {
    return switch (part) {
      case ScalarValue _ -> ScalarValue.f64(numbers[0]);
      case ArrayValue a -> ArrayValue.ofDoubles(numbers, a.shape());
    };
  }

  @Test
  void lstm() {
    var slope =
        """

        entry slope [n] [t] [h] (m: model [h]) (x: [n][t]f32) : model [h] =
          vjp (\\m -> loss m x) m 1
        """;
    try (var program = Sample.precise("lstm", slope)) {
      var model = program.entry("init").call(List.of(ScalarValue.i64(5), ScalarValue.i64(1)));
      compare(program, model, List.of(numbers(1, 6, 9)));
    }
  }

  @Test
  void networkWithOneHiddenLayer() {
    var slope =
        """

        entry slope [n] [d] [h] [c] (m: model [d] [h] [c]) (x: [n][d]f32) (y: [n]i64) (scale: f32)
          : model [d] [h] [c] =
          vjp (\\m -> loss m x y scale) m 1
        """;
    try (var program = Sample.precise("mlp", slope)) {
      var x = numbers(255, 12, 7);
      var sizes = List.of(ScalarValue.i64(1), ScalarValue.i64(5), ScalarValue.i64(3));
      var init = new ArrayList<Value>(List.of(x));
      init.addAll(sizes);
      var model = program.entry("init").call(init);
      compare(program, model, List.of(x, labels(12, 3), ScalarValue.f64(1 / 255.0)));
    }
  }

  @Test
  void convolutionalNetwork() {
    var slope =
        """

        entry slope [n] [f] [g] [c] (m: model [f] [g] [c]) (x: [n][784]f32) (y: [n]i64)
          : model [f] [g] [c] =
          vjp (\\m -> loss m x y) m 1
        """;
    try (var program = Sample.precise("conv", slope)) {
      var sizes =
          List.<Value>of(
              ScalarValue.i64(1), ScalarValue.i64(2), ScalarValue.i64(3), ScalarValue.i64(4));
      var model = program.entry("init").call(sizes);
      compare(program, model, List.of(numbers(255, 3, 784), labels(3, 4)));
    }
  }
}
