package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K5001;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;

/**
 * A function of shards, written by hand: how many numbers there are, and the first and last of
 * them, scaled.
 */
record ScaledSum(boolean failing) implements ShardProgram {
  @Override
  public String key() {
    return "scaled-sum " + failing;
  }

  @Override
  public String title() {
    return "scaled sum";
  }

  @Override
  public ShardFunction open() {
    return new Opened(failing);
  }

  private record Opened(boolean failing) implements ShardFunction {
    /** Sum; and a trace of the order of combination: start and end of the stretch. */
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      if (failing) {
        throw new UserError(K5001, new Span("f.fut", 3, 4, 3, 9), "index out of bounds", "look");
      }
      var xs = ((ArrayValue) values.getFirst()).toDoubleArray();
      double scale = ((ScalarValue) replicated.getFirst()).asDouble();
      double sum = 0;
      for (double x : xs) {
        sum += scale * x;
      }
      var ends = xs.length == 0 ? new double[0] : new double[] {xs[0], xs[xs.length - 1]};
      return List.of(ScalarValue.f64(sum), ArrayValue.ofDoubles(ends, ends.length));
    }

    /** Not commutative: the second result lists the stretches in the order they were joined. */
    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      double sum = ((ScalarValue) left.getFirst()).asDouble();
      var a = ((ArrayValue) left.get(1)).toDoubleArray();
      var b = ((ArrayValue) right.get(1)).toDoubleArray();
      var joined = Arrays.copyOf(a, a.length + b.length);
      System.arraycopy(b, 0, joined, a.length, b.length);
      return List.of(
          ScalarValue.f64(sum + ((ScalarValue) right.getFirst()).asDouble()),
          ArrayValue.ofDoubles(joined, joined.length));
    }
  }
}
