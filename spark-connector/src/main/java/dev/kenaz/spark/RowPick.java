package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Fetches some rows of a dataset of one matrix, wherever they are. */
public final class RowPick {
  private RowPick() {}

  /**
   * Returns rows by their indices in the dataset.
   *
   * @param ascending the indices in ascending order, without repetition
   * @param rowsOfShards how many rows each shard has, as {@link DataCheck} has found
   */
  public static List<double[]> rows(SparkRunner runner, long[] ascending, long[] rowsOfShards) {
    var picked =
        (ArrayValue)
            runner
                .run(
                    new Program(rowsOfShards),
                    List.of(ArrayValue.ofLongs(ascending, ascending.length)))
                .values()
                .getFirst();
    var rows = new ArrayList<double[]>();
    for (long i = 0; i < picked.dim(0); i++) {
      rows.add(((ArrayValue) picked.at(i)).toDoubleArray());
    }
    return rows;
  }

  private record Program(long[] rowsOfShards) implements ShardProgram {
    @Override
    public String key() {
      return "kenaz row pick " + Arrays.toString(rowsOfShards);
    }

    @Override
    public String title() {
      return "kenaz: picks rows";
    }

    @Override
    public ShardFunction open() {
      return new Opened(rowsOfShards);
    }
  }

  private record Opened(long[] rowsOfShards) implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var matrix = (ArrayValue) values.getFirst();
      long before = Arrays.stream(rowsOfShards, 0, shard).sum();
      var wanted = ((ArrayValue) replicated.getFirst()).toLongArray();
      var mine =
          Arrays.stream(wanted).map(i -> i - before).filter(i -> i >= 0 && i < matrix.dim(0));
      var out = new ArrayList<double[]>();
      mine.forEach(i -> out.add(((ArrayValue) matrix.at(i)).toDoubleArray()));
      return List.of(matrix(out, matrix.dim(1)));
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var a = (ArrayValue) left.getFirst();
      var b = (ArrayValue) right.getFirst();
      var all = Arrays.copyOf(a.toDoubleArray(), Math.toIntExact(a.count() + b.count()));
      System.arraycopy(b.toDoubleArray(), 0, all, (int) a.count(), (int) b.count());
      return List.of(ArrayValue.ofDoubles(all, a.dim(0) + b.dim(0), a.dim(1)));
    }

    private static ArrayValue matrix(List<double[]> rows, long width) {
      var flat = rows.stream().flatMapToDouble(Arrays::stream).toArray();
      return ArrayValue.ofDoubles(flat, rows.size(), width);
    }
  }
}
