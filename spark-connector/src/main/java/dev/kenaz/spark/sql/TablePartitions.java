package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * The rows that a function of a table gives in a task. The rows of a partition follow each other;
 * without keys all rows are one partition, even if there are none.
 */
final class TablePartitions implements Iterator<InternalRow> {
  private final TableCall call;
  private final UnsafeProjection key;
  private final UnsafeProjection result;
  private final Iterator<InternalRow> rows;
  private InternalRow next;
  private UnsafeRow nextKey;
  private boolean whole;
  private Iterator<InternalRow> results = Collections.emptyIterator();

  /**
   * @param input the columns of the rows
   * @param output the columns of the results
   */
  TablePartitions(
      TableCall call, List<Attribute> input, List<Attribute> output, Iterator<InternalRow> rows) {
    this.call = call;
    this.key = UnsafeProjection.create(Seqs.of(call.keys(input)), Seqs.of(input));
    this.result = UnsafeProjection.create(Seqs.<Expression>of(output), Seqs.of(output));
    this.rows = rows;
    this.whole = call.keys() == 0;
    advance();
  }

  private void advance() {
    next = rows.hasNext() ? rows.next() : null;
    nextKey = next == null ? null : key.apply(next);
  }

  @Override
  public boolean hasNext() {
    while (!results.hasNext() && (next != null || whole)) {
      results = partition();
    }
    return results.hasNext();
  }

  @Override
  public InternalRow next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return results.next();
  }

  /** Computes the results for the rows with the next key. */
  private Iterator<InternalRow> partition() {
    whole = false;
    // The projection writes the next key into the same memory.
    var its = nextKey == null ? new UnsafeRow(0) : nextKey.copy();
    var cells = call.function().columns().stream().map(CellBuffer::new).toList();
    for (long n = 0; next != null && nextKey.equals(its); n++) {
      add(next, cells, n);
      advance();
    }
    var values = call.function().compute(cells.stream().map(CellBuffer::value).toList());
    int n = Math.toIntExact(values.getFirst().dim(0));
    var columns = new ArrayList<ColumnVector>();
    int at = 0;
    for (var type : call.function().result()) {
      columns.add(ResultColumns.of(type, values.subList(at, at + type.width()), n));
      at += type.width();
    }
    var batch = new ColumnarBatch(columns.toArray(ColumnVector[]::new), n);
    return IntStream.range(0, n)
        .mapToObj(i -> (InternalRow) result.apply(new JoinedRow(its, batch.getRow(i))))
        .iterator();
  }

  private void add(InternalRow row, List<CellBuffer> cells, long n) {
    var function = call.function();
    int first = call.firstArgument();
    for (int i = 0; i < cells.size(); i++) {
      if (CellBuffer.hasNull(row, first + i, function.columns().get(i))) {
        throw new UserError(
            ErrorCode.K6106,
            "argument %d of %s has a null in row %d".formatted(i + 1, function.name(), n));
      }
      if (!cells.get(i).fits(row, first + i)) {
        throw new UserError(
            ErrorCode.K6302,
            "argument %d of %s has arrays of %d and, in row %d, of %d elements"
                .formatted(
                    i + 1,
                    function.name(),
                    cells.get(i).width(),
                    n,
                    row.getArray(first + i).numElements()));
      }
    }
    for (int i = 0; i < cells.size(); i++) {
      cells.get(i).add(row, first + i);
    }
  }
}
