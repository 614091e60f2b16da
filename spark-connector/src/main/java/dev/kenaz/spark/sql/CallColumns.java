package dev.kenaz.spark.sql;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Calls functions for the batches of a partition: their columns stay, and those of the results come
 * behind them.
 *
 * @param input the columns of a batch
 */
record CallColumns(List<KenazCall> calls, List<Attribute> input, SQLMetric count, SQLMetric time)
    implements FlatMapFunction<Iterator<ColumnarBatch>, ColumnarBatch>, Serializable {
  @Override
  public Iterator<ColumnarBatch> call(Iterator<ColumnarBatch> batches) {
    var work = new CallBatch(calls, input);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return batches.hasNext();
      }

      @Override
      public ColumnarBatch next() {
        CancelledTask.check();
        return called(work, batches.next());
      }
    };
  }

  private ColumnarBatch called(CallBatch work, ColumnarBatch batch) {
    long start = System.nanoTime();
    var results = work.ofColumns(batch);
    time.add(System.nanoTime() - start);
    count.add(batch.numRows());
    var all = new ColumnVector[batch.numCols() + results.length];
    Arrays.setAll(all, i -> i < batch.numCols() ? batch.column(i) : results[i - batch.numCols()]);
    return new ColumnarBatch(all, batch.numRows());
  }
}
