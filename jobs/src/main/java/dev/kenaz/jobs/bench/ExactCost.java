package dev.kenaz.jobs.bench;

import dev.kenaz.spark.ShardFunction;
import dev.kenaz.spark.ShardProgram;
import dev.kenaz.spark.SparkRunner;
import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.ScalarValue;
import dev.kenaz.value.Value;
import java.util.List;

/**
 * Computes the k-means cost of given centres in f64 by plain Java, by which both sides are
 * compared.
 */
final class ExactCost {
  private ExactCost() {}

  static double of(SparkRunner runner, double[] centres, int k) {
    var value = ArrayValue.ofDoubles(centres, k, centres.length / k);
    var result = runner.run(new Program(), List.of(value)).values().getFirst();
    return ((ScalarValue) result).asDouble();
  }

  private record Program() implements ShardProgram {
    @Override
    public String key() {
      return "kenaz bench exact cost";
    }

    @Override
    public String title() {
      return "kenaz bench: exact cost";
    }

    @Override
    public ShardFunction open() {
      return new Opened();
    }
  }

  private record Opened() implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var points = (ArrayValue) values.getFirst();
      var centres = ((ArrayValue) replicated.getFirst()).toDoubleArray();
      int d = (int) points.dim(1);
      double cost = 0;
      for (long i = 0; i < points.dim(0); i++) {
        double least = Double.POSITIVE_INFINITY;
        for (int c = 0; c < centres.length; c += d) {
          double sum = 0;
          for (int j = 0; j < d; j++) {
            double x = points.getDouble(i * d + j) - centres[c + j];
            sum += x * x;
          }
          least = Math.min(least, sum);
        }
        cost += least;
      }
      return List.of(ScalarValue.f64(cost));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      double a = ((ScalarValue) left.getFirst()).asDouble();
      double b = ((ScalarValue) right.getFirst()).asDouble();
      return List.of(ScalarValue.f64(a + b));
    }
  }
}
