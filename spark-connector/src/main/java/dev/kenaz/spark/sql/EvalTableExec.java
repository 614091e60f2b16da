package dev.kenaz.spark.sql;

import dev.kenaz.error.ErrorCode;
import dev.kenaz.error.UserError;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.plans.physical.AllTuples$;
import org.apache.spark.sql.catalyst.plans.physical.Distribution;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition$;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** Computes {@link EvalTable} in one task, which gets all rows. */
public final class EvalTableExec extends SparkPlan {
  private static final long serialVersionUID = 1;

  private final TableFunction function;
  private final Seq<Attribute> results;
  private final SparkPlan child;

  public EvalTableExec(TableFunction function, Seq<Attribute> results, SparkPlan child) {
    this.function = function;
    this.results = results;
    this.child = child;
  }

  @Override
  public String nodeName() {
    return "Kenaz table";
  }

  @Override
  public String simpleString(int maxFields) {
    return nodeName() + " [" + function.name() + " = " + function.shown() + "]";
  }

  @Override
  public Seq<Distribution> requiredChildDistribution() {
    return Seqs.one(AllTuples$.MODULE$);
  }

  @Override
  public Partitioning outputPartitioning() {
    return SinglePartition$.MODULE$;
  }

  @Override
  public RDD<InternalRow> doExecute() {
    var work = new Work(function, Seqs.list(results));
    return child.execute().toJavaRDD().mapPartitions(work).rdd();
  }

  /** Takes all rows, and gives those of the result. */
  private record Work(TableFunction function, List<Attribute> output)
      implements FlatMapFunction<Iterator<InternalRow>, InternalRow>, Serializable {
    @Override
    public Iterator<InternalRow> call(Iterator<InternalRow> rows) {
      var cells = function.columns().stream().map(CellBuffer::new).toList();
      for (long n = 0; rows.hasNext(); n++) {
        add(rows.next(), cells, n);
      }
      var values = function.compute(cells.stream().map(CellBuffer::value).toList());
      int n = Math.toIntExact(values.getFirst().dim(0));
      var columns = new ArrayList<ColumnVector>();
      int at = 0;
      for (var type : function.result()) {
        columns.add(ResultColumns.of(type, values.subList(at, at + type.width()), n));
        at += type.width();
      }
      var batch = new ColumnarBatch(columns.toArray(ColumnVector[]::new), n);
      var row = UnsafeProjection.create(Seqs.<Expression>of(output), Seqs.of(output));
      return IntStream.range(0, n)
          .mapToObj(i -> (InternalRow) row.apply(batch.getRow(i)))
          .iterator();
    }

    private void add(InternalRow row, List<CellBuffer> cells, long n) {
      for (int i = 0; i < cells.size(); i++) {
        if (CellBuffer.hasNull(row, i, function.columns().get(i))) {
          throw new UserError(
              ErrorCode.K6106,
              "argument %d of %s has a null in row %d".formatted(i + 1, function.name(), n));
        }
        if (!cells.get(i).fits(row, i)) {
          throw new UserError(
              ErrorCode.K6302,
              "argument %d of %s has arrays of %d and, in row %d, of %d elements"
                  .formatted(
                      i + 1,
                      function.name(),
                      cells.get(i).width(),
                      n,
                      row.getArray(i).numElements()));
        }
      }
      for (int i = 0; i < cells.size(); i++) {
        cells.get(i).add(row, i);
      }
    }
  }

  @Override
  public Seq<SparkPlan> children() {
    return Seqs.one(child);
  }

  @Override
  public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> others) {
    return new EvalTableExec(function, results, others.head());
  }

  @Override
  public Seq<Attribute> output() {
    return results;
  }

  @Override
  public AttributeSet references() {
    return child.outputSet();
  }

  @Override
  public AttributeSet producedAttributes() {
    return AttributeSet.apply(Seqs.<Expression>of(Seqs.list(results)));
  }

  @Override
  public int productArity() {
    return 3;
  }

  @Override
  public Object productElement(int i) {
    return switch (i) {
      case 0 -> function;
      case 1 -> results;
      default -> child;
    };
  }

  @Override
  public boolean canEqual(Object other) {
    return other instanceof EvalTableExec;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvalTableExec e
        && function.equals(e.function)
        && results.equals(e.results)
        && child.equals(e.child);
  }

  @Override
  public int hashCode() {
    return Objects.hash(function.name(), results, child);
  }
}
