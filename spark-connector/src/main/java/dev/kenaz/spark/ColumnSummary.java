package dev.kenaz.spark;

import dev.kenaz.value.ArrayValue;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.List;

/** Says what numbers the columns of a dataset have. */
public final class ColumnSummary {
  /** Rows that are longer than this are summarised as a whole. */
  public static final int WIDEST = 64;

  /** What is known of the numbers of a column: how many, NaNs, least, greatest, sum. */
  private static final int KNOWN = 5;

  private ColumnSummary() {}

  /**
   * The numbers of a column, or of all columns of an array.
   *
   * @param nans how many are NaN; the others are what the rest is about
   */
  public record Numbers(long count, long nans, double least, double greatest, double mean) {}

  /** Returns, for each array of the dataset, the numbers of each of its columns. */
  public static List<List<Numbers>> of(SparkRunner runner) {
    var all = new ArrayList<List<Numbers>>();
    for (var result : runner.run(new Program(), List.of()).values()) {
      var known = ((ArrayValue) result).toDoubleArray();
      var columns = new ArrayList<Numbers>();
      for (int i = 0; i < known.length; i += KNOWN) {
        double numbers = known[i] - known[i + 1];
        columns.add(
            new Numbers(
                (long) known[i],
                (long) known[i + 1],
                known[i + 2],
                known[i + 3],
                known[i + 4] / numbers));
      }
      all.add(columns);
    }
    return all;
  }

  private record Program() implements ShardProgram {
    @Override
    public String key() {
      return "kenaz column summary";
    }

    @Override
    public String title() {
      return "kenaz: summarises the data";
    }

    @Override
    public ShardFunction open() {
      return new Opened();
    }
  }

  private record Opened() implements ShardFunction {
    @Override
    public List<Value> local(int shard, List<Value> values, List<Value> replicated, int cores) {
      var all = new ArrayList<Value>();
      for (var v : values) {
        all.add(summary((ArrayValue) v));
      }
      return all;
    }

    private static Value summary(ArrayValue array) {
      long row = 1;
      for (int d = 1; d < array.rank(); d++) {
        row *= array.dim(d);
      }
      int columns = row > WIDEST ? 1 : (int) row;
      var known = new double[KNOWN * columns];
      for (int c = 0; c < columns; c++) {
        known[KNOWN * c + 2] = Double.POSITIVE_INFINITY;
        known[KNOWN * c + 3] = Double.NEGATIVE_INFINITY;
      }
      var prim = array.elem();
      for (long i = 0; i < array.count(); i++) {
        int at = columns == 1 ? 0 : (int) (i % columns) * KNOWN;
        double x = prim.toDouble(array.bits(i));
        known[at]++;
        if (Double.isNaN(x)) {
          known[at + 1]++;
        } else {
          known[at + 2] = Math.min(known[at + 2], x);
          known[at + 3] = Math.max(known[at + 3], x);
          known[at + 4] += x;
        }
      }
      return ArrayValue.ofDoubles(known, known.length);
    }

    @Override
    public List<Value> combine(List<Value> left, List<Value> right, List<Value> replicated) {
      var all = new ArrayList<Value>();
      for (int i = 0; i < left.size(); i++) {
        var a = ((ArrayValue) left.get(i)).toDoubleArray();
        var b = ((ArrayValue) right.get(i)).toDoubleArray();
        for (int k = 0; k < a.length; k++) {
          a[k] =
              switch (k % KNOWN) {
                case 2 -> Math.min(a[k], b[k]);
                case 3 -> Math.max(a[k], b[k]);
                default -> a[k] + b[k];
              };
        }
        all.add(ArrayValue.ofDoubles(a, a.length));
      }
      return all;
    }
  }
}
