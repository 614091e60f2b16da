package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Arrays of random numbers, always the same. */
final class Draw {
  private final Random random = new Random(42);

  private static int count(long... shape) {
    return Math.toIntExact(Arrays.stream(shape).reduce(1, (x, y) -> x * y));
  }

  /** Uniform. */
  ArrayValue f32(double low, double high, long... shape) {
    var xs = new float[count(shape)];
    for (int i = 0; i < xs.length; i++) {
      xs[i] = (float) (low + (high - low) * random.nextDouble());
    }
    return ArrayValue.ofFloats(xs, shape);
  }

  /** Uniform. */
  ArrayValue f64(double low, double high, long... shape) {
    return ArrayValue.ofDoubles(random.doubles(count(shape), low, high).toArray(), shape);
  }

  /** Normally distributed. */
  ArrayValue normal(Prim prim, long... shape) {
    var xs = new double[count(shape)];
    for (int i = 0; i < xs.length; i++) {
      xs[i] = random.nextGaussian();
    }
    return ArrayValue.ofDoubles(prim, xs, shape);
  }

  /** Uniform in 0 .. bound. */
  ArrayValue indices(long bound, long... shape) {
    return ArrayValue.ofLongs(random.longs(count(shape), 0, bound).toArray(), shape);
  }

  /** Of each value's type and shape, uniform in 0.5 .. 1.5; zeros for what isn't a float. */
  List<Value> like(List<Value> values) {
    return values.stream().map(this::like).toList();
  }

  private Value like(Value v) {
    return switch (v) {
      case ScalarValue s ->
          s.prim().isFloat() ? ScalarValue.ofDouble(s.prim(), 0.5 + random.nextDouble()) : s;
      case ArrayValue a ->
          a.prim().isFloat()
              ? ArrayValue.ofDoubles(
                  a.prim(), random.doubles(a.count(), 0.5, 1.5).toArray(), a.shape())
              : a;
    };
  }
}
