package dev.kenaz.arrow;

import dev.kenaz.value.Prim;
import java.util.List;

/** Finds what is in a dataset: sizes, and statistics of each selected column. */
public final class DatasetInspect {
  private static final int BLOCK = 1024;

  private final ArrowDataset dataset;

  public DatasetInspect(ArrowDataset dataset) {
    this.dataset = dataset;
  }

  /**
   * Statistics of one column; of a list column, over all its elements.
   *
   * @param count how many elements are neither null nor NaN
   * @param nulls how many rows are null, or have a null element
   * @param nans how many elements are NaN
   * @param min the smallest element; it is NaN if {@code count} is 0, as are {@code max} and {@code
   *     mean}
   * @param bytes the size in bytes of the column's buffers in the files
   */
  public record Column(
      ColumnInfo info,
      long count,
      long nulls,
      long nans,
      double min,
      double max,
      double mean,
      long bytes) {}

  public long rows() {
    return dataset.rowCount();
  }

  public int batches() {
    return dataset.batchCount();
  }

  /**
   * Reads all data once, and returns the statistics of each column. Columns that aren't numbers
   * have zero counts and NaN statistics.
   */
  public List<Column> columns() {
    return dataset.columns().stream().map(this::column).toList();
  }

  private Column column(ColumnInfo info) {
    var alone = dataset.column(info.name());
    var sums = new Sums();
    if (info.prim().isPresent()) {
      alone.blocks().forEach(block -> sums.add(block.columns().getFirst()));
    }
    boolean none = sums.count == 0;
    return new Column(
        info,
        sums.count,
        sums.nulls,
        sums.nans,
        none ? Double.NaN : sums.min,
        none ? Double.NaN : sums.max,
        none ? Double.NaN : (sums.sum + sums.lost) / sums.count,
        alone.byteSize());
  }

  private static final class Sums {
    private final double[] block = new double[BLOCK];
    private long count;
    private long nulls;
    private long nans;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;
    private double sum;

    /**
     * What additions have rounded off (by Neumaier's method), so that the mean of many rows stays
     * exact.
     */
    private double lost;

    void add(ColumnData c) {
      if (c.mayHaveNulls()) {
        for (long row = 0; row < c.rows(); row++) {
          if (c.isNull(row)) {
            nulls++;
          } else {
            addElements(c, row, row + 1);
          }
        }
      } else {
        addElements(c, 0, c.rows());
      }
    }

    private void addElements(ColumnData c, long fromRow, long toRow) {
      Prim p = c.prim();
      long at = (c.offset() + fromRow) * c.info().width();
      long end = (c.offset() + toRow) * c.info().width();
      for (; at < end; at += BLOCK) {
        int n = (int) Math.min(BLOCK, end - at);
        Cells.readDoubles(c.data(), p, at, 1, block, n);
        for (int i = 0; i < n; i++) {
          add(block[i]);
        }
      }
    }

    private void add(double x) {
      if (Double.isNaN(x)) {
        nans++;
        return;
      }
      count++;
      min = Math.min(min, x);
      max = Math.max(max, x);
      double t = sum + x;
      if (Double.isFinite(t)) {
        lost += Math.abs(sum) >= Math.abs(x) ? (sum - t) + x : (x - t) + sum;
      }
      sum = t;
    }
  }
}
