package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What must be known of a dataset of one matrix before it is used: rows and NaNs. To find out,
 * executors load the shards.
 *
 * @param rowsOfShards how many rows each shard has
 * @param nans how many NaNs each column has
 */
public record DataCheck(long[] rowsOfShards, long[] nans) {

  /** Counts the rows and NaNs of all shards. */
  public static DataCheck of(SparkRunner runner) {
    var result = runner.run(new Program(), List.of()).values();
    return new DataCheck(longs(result.getFirst()), longs(result.getLast()));
  }

  public long rows() {
    return Arrays.stream(rowsOfShards).sum();
  }

  private static long[] longs(Value v) {
    return ((ArrayValue) v).toLongArray();
  }

  private record Program() implements ShardProgram {
    @Override
    public String key() {
      return "kenaz data check";
    }

    @Override
    public String title() {
      return "kenaz: counts rows and NaNs";
    }

    @Override
    public ShardFunction open() {
      return new Opened();
    }
  }

  private static final class Opened implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var matrix = (ArrayValue) values.getFirst();
      int width = (int) matrix.dim(1);
      var nans = new long[width];
      if (matrix.elem().isFloat()) {
        long at = 0;
        for (long row = 0; row < matrix.dim(0); row++) {
          for (int column = 0; column < width; column++) {
            if (Double.isNaN(matrix.getDouble(at++))) {
              nans[column]++;
            }
          }
        }
      }
      return List.of(
          ArrayValue.ofLongs(new long[] {matrix.dim(0)}, 1), ArrayValue.ofLongs(nans, width));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var a = longs(left.getFirst());
      var b = longs(right.getFirst());
      var rows = Arrays.copyOf(a, a.length + b.length);
      System.arraycopy(b, 0, rows, a.length, b.length);
      var nansLeft = longs(left.getLast());
      var nansRight = longs(right.getLast());
      var nans = IntStream.range(0, nansLeft.length).mapToLong(i -> nansLeft[i] + nansRight[i]);
      return List.of(
          ArrayValue.ofLongs(rows, rows.length),
          ArrayValue.ofLongs(nans.toArray(), nansLeft.length));
    }
  }
}
