package dev.kenaz.jobs.bench;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Prim;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Makes arrays of random numbers, which are always the same. */
final class Draw {
  private static final int LARGE = 1 << 22;
  private static final int PART = 1 << 18;

  private final Random random = new Random(42);

  private static int count(long... shape) {
    return Math.toIntExact(Arrays.stream(shape).reduce(1, (x, y) -> x * y));
  }

  /** Sets an element, by a generator. */
  private interface Setter {
    void set(Random random, int i);
  }

  /** Fills an array. All cores fill a large one, in parts with generators of their own. */
  private void fill(int n, Setter setter) {
    if (n < LARGE) {
      for (int i = 0; i < n; i++) {
        setter.set(random, i);
      }
      return;
    }
    long seed = random.nextLong();
    IntStream.range(0, (n + PART - 1) / PART)
        .parallel()
        .forEach(
            part -> {
              var own = new Random(seed + part);
              int last = (int) Math.min(n, (part + 1L) * PART);
              for (int i = part * PART; i < last; i++) {
                setter.set(own, i);
              }
            });
  }

  private double[] doubles(int n, double low, double high) {
    var xs = new double[n];
    fill(n, (r, i) -> xs[i] = r.nextDouble(low, high));
    return xs;
  }

  /** Returns an array of f32 that are uniform between two numbers. */
  ArrayValue f32(double low, double high, long... shape) {
    var xs = new float[count(shape)];
    fill(xs.length, (r, i) -> xs[i] = (float) (low + (high - low) * r.nextDouble()));
    return ArrayValue.ofFloats(xs, shape);
  }

  /** Returns an array of f64 that are uniform between two numbers. */
  ArrayValue f64(double low, double high, long... shape) {
    return ArrayValue.ofDoubles(doubles(count(shape), low, high), shape);
  }

  /** Returns an array of normally distributed numbers. */
  ArrayValue normal(Prim prim, long... shape) {
    var xs = new double[count(shape)];
    fill(xs.length, (r, i) -> xs[i] = r.nextGaussian());
    return ArrayValue.ofDoubles(prim, xs, shape);
  }

  /** Returns an array of integers that are uniform from 0 to below the bound. */
  ArrayValue indices(long bound, long... shape) {
    var xs = new long[count(shape)];
    fill(xs.length, (r, i) -> xs[i] = r.nextLong(bound));
    return ArrayValue.ofLongs(xs, shape);
  }

  /**
   * Returns arrays with the types and shapes of these values. Floats are uniform from 0.5 to 1.5,
   * and other elements are zero.
   */
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
                  a.prim(), doubles(Math.toIntExact(a.count()), 0.5, 1.5), a.shape())
              : a;
    };
  }
}
