package dev.kenaz.spark.sql;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Calls functions for the rows of a partition, in batches.
 *
 * @param input the columns of a row
 * @param output these and the results
 */
record CallRows(
    List<KenazCall> calls,
    List<Attribute> input,
    List<Attribute> output,
    SQLMetric count,
    SQLMetric time)
    implements FlatMapFunction<Iterator<InternalRow>, InternalRow>, Serializable {
  private static final int BATCH = 8192;

  @Override
  public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
    return new Batches(rows);
  }

  /** The rows with their results; rows come in batches. */
  private final class Batches implements Iterator<InternalRow> {
    private final Iterator<InternalRow> rows;
    private final CallBatch work = new CallBatch(calls, input);
    private final UnsafeProjection all =
        UnsafeProjection.create(Seqs.<Expression>of(output), Seqs.of(output));
    private final JoinedRow joined = new JoinedRow();
    private List<InternalRow> batch = List.of();
    private ColumnarBatch results;
    private int at;

    Batches(Iterator<InternalRow> rows) {
      this.rows = rows;
    }

    @Override
    public boolean hasNext() {
      return at < batch.size() || rows.hasNext();
    }

    @Override
    public InternalRow next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      if (at == batch.size()) {
        fill();
      }
      var row = all.apply(joined.apply(batch.get(at), results.getRow(at)));
      at++;
      return row;
    }

    private void fill() {
      CancelledTask.check();
      var read = new ArrayList<InternalRow>();
      while (read.size() < BATCH && rows.hasNext()) {
        read.add(rows.next().copy()); // Spark uses the memory of a row again.
      }
      batch = read;
      at = 0;
      long start = System.nanoTime();
      results = new ColumnarBatch(work.ofRows(batch), batch.size());
      time.add(System.nanoTime() - start);
      count.add(batch.size());
    }
  }
}
