package dev.kenaz.spark.sql;

import dev.kenaz.arrow.BatchRanges;
import dev.kenaz.arrow.VectorFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.spark.sql.catalyst.util.TypeUtils;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.ArrowUtils;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;
import scala.math.Ordering;

/** What a file says of its batches, in Spark's values. Where it says nothing, anything may be. */
final class BatchCells {
  private final VectorFile file;
  private final BatchRanges ranges;
  private final int[] wanted;
  private final StructType columns;
  private final String name;
  private final Map<Integer, Optional<Extremes>> extremes = new HashMap<>();

  /** The least and the greatest values of a column by batch; null where they aren't known. */
  private record Extremes(Object[] least, Object[] most, Ordering<Object> order) {}

  private BatchCells(
      VectorFile file, BatchRanges ranges, int[] wanted, StructType columns, String name) {
    this.file = file;
    this.ranges = ranges;
    this.wanted = wanted;
    this.columns = columns;
    this.name = name;
  }

  /**
   * Returns which batches may have rows for which a test is true.
   *
   * @param wanted the numbers of the columns in the file; of the numbers of rows nothing is known
   */
  static IntPredicate mayHold(
      BatchTest test, VectorFile file, int[] wanted, StructType columns, String name) {
    boolean asks = !test.equals(BatchTest.of(List.of(), columns));
    var found = asks ? file.ranges() : Optional.<BatchRanges>empty();
    if (found.isEmpty()) {
      return _ -> true;
    }
    var cells = new BatchCells(file, found.get(), wanted, columns, name);
    return batch -> test.mayBe(true, cells.new Of(batch));
  }

  private Optional<Extremes> extremes(int column) {
    return extremes.computeIfAbsent(column, this::read);
  }

  private Optional<Extremes> read(int column) {
    var type = columns.fields()[column].dataType();
    if (!SparkValues.ordered(type)) {
      return Optional.empty();
    }
    try (var allocator =
        ArrowUtils.rootAllocator().newChildAllocator("kenaz ranges", 0, Long.MAX_VALUE)) {
      return Optional.of(read(column, type, allocator));
    } catch (RuntimeException e) {
      // Whatever makes no sense there: the batches themselves are read then, and show what is
      // wrong.
      return Optional.empty();
    }
  }

  private Extremes read(int column, DataType type, BufferAllocator allocator) {
    var least = new Object[file.batches()];
    var most = new Object[file.batches()];
    var read = ranges.extremes(wanted[column], allocator);
    try (var values = new ArrowColumnVector(new PlainVectors(allocator, name).of(read))) {
      var rows = new ColumnarBatch(new ColumnVector[] {values}, 2 * file.batches());
      for (int b = 0; b < file.batches(); b++) {
        least[b] = kept(rows.getRow(2 * b).get(0, type));
        most[b] = kept(rows.getRow(2 * b + 1).get(0, type));
      }
    }
    return new Extremes(least, most, TypeUtils.getInterpretedOrdering(type));
  }

  /** Returns the value itself; strings of vectors lie in memory that is given back. */
  private static Object kept(Object value) {
    return value instanceof UTF8String text ? text.copy() : value;
  }

  /** What is known of one batch. */
  private final class Of implements BatchTest.Cells {
    private final int batch;
    private final Map<Integer, Boolean> fits = new HashMap<>();

    Of(int batch) {
      this.batch = batch;
    }

    private boolean known(int column) {
      int c = wanted[column];
      return c != RowNumbers.COLUMN
          && fits.computeIfAbsent(c, _ -> ranges.has(c) && ranges.fits(c, batch));
    }

    @Override
    public boolean mayBeNull(int column) {
      return !known(column) || ranges.nulls(wanted[column], batch) != 0;
    }

    @Override
    public boolean mayHaveValues(int column) {
      return !known(column) || ranges.nulls(wanted[column], batch) != file.rows(batch);
    }

    @Override
    public boolean hasRange(int column) {
      return known(column)
          && extremes(column)
              .filter(e -> e.least[batch] != null && e.most[batch] != null)
              .filter(e -> e.order.compare(e.least[batch], e.most[batch]) <= 0)
              .isPresent();
    }

    @Override
    public int least(int column, Object value) {
      var e = extremes(column).orElseThrow();
      return e.order.compare(e.least[batch], value);
    }

    @Override
    public int most(int column, Object value) {
      var e = extremes(column).orElseThrow();
      return e.order.compare(e.most[batch], value);
    }

    @Override
    public boolean leastBegins(int column, UTF8String text) {
      return ((UTF8String) extremes(column).orElseThrow().least[batch]).startsWith(text);
    }
  }
}
